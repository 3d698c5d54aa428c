import { expect, test } from 'vitest';
import { splitLine } from '../../src/verbs/kit/words.ts';

test.each([
  ['tasks  --all', ['tasks', '--all']],
  ['answer x "two words"', ['answer', 'x', 'two words']],
  ['answer x \'it is "so"\'', ['answer', 'x', 'it is "so"']],
  ['answer x "say \\"hi\\" \\\\"', ['answer', 'x', 'say "hi" \\']],
  ['answer x a\\ b', ['answer', 'x', 'a b']],
  ['answer x --by="two words"', ['answer', 'x', '--by=two words']],
  ['answer x ""', ['answer', 'x', '']],
  ['an unfinished "quote here', ['an', 'unfinished', '"quote', 'here']],
  ['', []],
])('%j is split as a shell would', (line, words) => {
  expect(splitLine(line)).toEqual(words);
});
