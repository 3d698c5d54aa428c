/** Arguments and options as values: what words would be refused for is refused, and everything else arrives as words would bring it. */
import { expect, test } from 'vitest';
import { refusals } from '../../src/verbs/kit/usage.ts';
import { readValues } from '../../src/verbs/kit/values.ts';
import { readWords } from '../../src/verbs/kit/words.ts';
import { speak } from '../../src/verbs/text/choose.ts';
import { VERBS } from '../../src/verbs/verbs.ts';

const say = await speak('en');
const helpFor = (words: string): string => `vibe-engine ${words}`;

async function read(name: string, given: unknown) {
  return readValues(given, await VERBS.get(name)!(), refusals(say, helpFor(name)));
}

test.each([
  ['tasks', 'tasks', {}],
  [
    'tasks',
    'tasks --status failed,paused --limit 3 --all',
    { options: { status: ['failed', 'paused'], limit: 3, all: true } },
  ],
  ['show', 'show x7k2qf', { args: { task: 'x7k2qf' } }],
  ['checkpoints list', 'checkpoints list x7k2qf', { args: { task: 'x7k2qf' }, options: {} }],
  ['resume', 'resume', {}],
  ['resume', 'resume x -- a b', { args: { task: 'x', more: ['a', 'b'] } }],
  [
    'rollback',
    'rollback x-1 --on-modified merge --on-modified a,b.txt=use_current --yes',
    { args: { checkpoint: 'x-1' }, options: { 'on-modified': ['merge', 'a,b.txt=use_current'], yes: true } },
  ],
])('%s: "%s"', async (name, line, given) => {
  const asked = await readWords(line.split(' '), { registry: VERBS, common: {}, say, helpFor });
  if (asked.kind !== 'verb') throw new Error(asked.kind);
  expect(await read(name, given)).toEqual({ args: asked.args, options: asked.options });
});

test.each([
  ['show', { args: { name: 'x' } }, 'more arguments'],
  ['show', { args: { task: 1 } }, 'not a valid "task"'],
  ['answer', {}, 'argument "task" is missing'],
  ['tasks', { options: { limt: 3 } }, 'no option "--limt"'],
  ['tasks', { options: { limit: 1.5 } }, 'does not take "1.5"'],
  ['tasks', { options: { all: 1 } }, 'takes no value'],
  ['tasks', { options: { status: ['done'] } }, 'does not take "done"'],
  ['tasks', { options: { find: null } }, 'does not take "null"'],
  ['resume', { args: { more: 'a' } }, 'not a valid "more"'],
  ['tasks', null, 'more arguments'],
])('%s %j: %s', async (name, given, message) => {
  await expect(read(name, given)).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining(message),
  });
});
