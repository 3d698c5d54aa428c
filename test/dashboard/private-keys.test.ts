/** A private key of many lines: no line of it leaves the server, or a terminal, in a part of the file that does not say what it is. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dashboard } from '../../src/dashboard/server.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { cli } from '../cli/cli.ts';
import { configure } from '../cli/world.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { dashboards, post } from './open.ts';

const tempDir = tempDirs();
const serve = dashboards();

const line = (): string => randomBytes(48).toString('base64');
const LINES = Array.from({ length: 40 }, line);
const pem = (lines: readonly string[]): string =>
  ['name = x', '-----BEGIN RSA PRIVATE KEY-----', ...lines, '-----END RSA PRIVATE KEY-----', ''].join('\n');
const withLine = (lines: readonly string[], ...at: number[]): string[] =>
  lines.map((one, index) => (at.includes(index) ? line() : one));
const OURS = withLine(LINES, 10, 30);
const THEIRS = withLine(LINES, 10, 30);
const EVERY = [...LINES, ...OURS, ...THEIRS];

const leaked = (text: string): string[] => EVERY.filter((one) => text.includes(one));

test('hunks, previews, comparisons and conflicts', async () => {
  const dir = tempDir();
  configure({ dir, config: { persistence: { storage_type: 'json' } } });
  writeFileSync(join(dir, 'keys.txt'), pem(LINES));
  const turns = defineTask('turns', async (task) => {
    await task.files.write('keys.txt', pem(OURS));
    await task.waitFor('user_input', { prompt: 'Well?' });
  });
  const collides = defineTask('collides', async (task) => {
    await task.files.read('other.txt');
    writeFileSync(join(dir, 'other.txt'), pem(THEIRS));
    return (await task.files.write('other.txt', pem(OURS))).status;
  });
  writeFileSync(join(dir, 'other.txt'), pem(LINES));
  const engine = await openEngine({
    ...{ project_dir: dir, tasks: [turns, collides], workspace: true, questions: 'anywhere' },
    ...{ signals: false, automatic_cleanup: false },
  });
  const { id } = await engine.start(turns, undefined);
  await until(async () => expect((await engine.waits(id)).length).toBe(1));
  const [first] = await engine.checkpoints.listCheckpoints(id);
  const fork = await engine.fork(first!.id);
  writeFileSync(join(dir, 'keys.txt'), pem(THEIRS));
  const conflicted = await engine.start(collides, undefined);
  const question = await until(async () => {
    const [asked] = await engine.reader.questions(conflicted.id);
    return asked ?? Promise.reject(new Error('nothing is asked'));
  });

  const all = async (server: Dashboard): Promise<string[]> => {
    const answers = await Promise.all([
      post(server, 'checkpoints diff', {
        args: { from: 'start', to: 'now' },
        options: { task: id, path: ['keys.txt'] },
      }),
      post(server, 'checkpoints diff', {
        args: { from: 'start', to: 'now' },
        options: { task: id, patch: true },
      }),
      post(server, 'rollback', { args: { checkpoint: first!.id }, options: { 'dry-run': true } }),
      post(server, 'undo', { args: { task: id }, options: { 'dry-run': true } }),
      post(server, 'compare', { args: { a: id, b: fork.id } }),
      post(server, 'conflicts show', { args: { task: conflicted.id, id: question.id } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    return answers.map((answer) => JSON.stringify(answer.data));
  };
  const shown = await all(await serve({ dir, reveal: true }));
  for (const at of [0, 1, 2, 3, 5]) expect([at, leaked(shown[at]!).length > 0]).toEqual([at, true]);
  const masked = await all(await serve({ dir }));
  expect(masked.map(leaked)).toEqual(masked.map(() => []));
  expect(masked[5]).toContain('name = x');
  expect(masked[0]).toContain('••••••');

  for (const words of [
    ['checkpoints', 'diff', 'start', 'now', '--task', id, '--patch'],
    ['rollback', first!.id, '--dry-run', '--patch'],
    ['conflicts', 'show', conflicted.id, question.id],
  ])
    for (const json of [[], ['--json']]) {
      const { out, err, exit } = await cli(dir, [...words, ...json]);
      expect([words, exit, leaked(out + err)]).toEqual([words, 0, []]);
    }
  await engine.answerQuestion(conflicted.id, question.id, 'theirs');
  await conflicted.outcome;
  await engine.close();
});
