import { expect, test } from 'vitest';
import { splitLine, valuesIn } from '../../src/verbs/kit/words.ts';
import { FILE_CHOICES } from '../../src/verbs/shared/options.ts';

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

test.each([
  ['merge', ['merge']],
  ['merge,a.txt=use_current', ['merge', 'a.txt=use_current']],
  ['a.txt=merge,b.txt=merge', ['a.txt=merge', 'b.txt=merge']],
  ['a,b.txt=merge,,c=d,=use_current', ['a,b.txt=merge', ',c=d,=use_current']],
  ['merge,a.txt=nothing', ['merge', 'a.txt=nothing']],
])('%j: a comma in a path belongs to the path', (text, values) => {
  expect(valuesIn(text, FILE_CHOICES['on-modified'])).toEqual(values);
});
