/** Tasks that the page resumes: each in a process of its own, which outlives the server, and whose questions the page answers. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask, cli, command } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { dashboards, post } from './open.ts';

const tempDir = tempDirs();
const open = dashboards();

const WAITS = `import { defineTask } from 'vibe-engine';
import { appendFileSync } from 'node:fs';
export default defineTask('waits', async (task) => {
  await task.step('before', () => appendFileSync('log.txt', 'before\\n'));
  const answer = await task.waitFor('user_input', { prompt: 'Which?' });
  await task.step('after', () => appendFileSync('log.txt', \`after \${answer}\\n\`));
  return answer;
});
`;

interface Resumed {
  readonly task: string;
  readonly status: string;
  readonly runs: { readonly what: string; readonly kind: string } | null;
}

test('it outlives the server that started it, and its question is answered on the next one', async () => {
  const dir = tempDir();
  const state = join(tempDir(), 'state');
  process.env.VIBE_ENGINE_STATE_DIR = state;
  writeFileSync(join(dir, 'waits.ts'), WAITS);
  const started = command(dir, ['run', 'waits.ts', '--json', '--name', 'waits']);
  await until(async () => expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [{ status: 'waiting' }] }));
  await cli(dir, ['pause', 'waits']);
  await started;
  const first = await open({ dir });
  const shown = await post<Resumed>(first, 'resume', {
    args: { task: 'waits' },
    options: { 'dry-run': true },
  });
  expect(shown.data.runs).toMatchObject({ kind: 'file', what: join(dir, 'waits.ts'), imported: false });
  const { status, data } = await post<Resumed>(first, 'resume', { args: { task: 'waits' } });
  expect([status, data.status]).toEqual([200, 'in_progress']);
  const again = await post(first, 'resume', { args: { task: 'waits' } });
  expect([again.status, again.error?.code]).toEqual([409, 'TASK_OWNED']);
  await first.close();
  const second = await open({ dir });
  const { questions } = (await post<{ questions: { id: string }[] }>(second, 'questions')).data;
  expect(questions).toMatchObject([{ text: 'Which?', kind: 'wait' }]);
  await post(second, 'questions answer', { args: { task: 'waits', id: questions[0]!.id, value: 'left' } });
  await until(async () =>
    expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [{ status: 'completed', holder: null }] }),
  );
  expect(readFileSync(join(dir, 'log.txt'), 'utf8')).toBe('before\nafter left\n');
  const kept = readdirSync(join(state, 'runs')).filter((name) => name.startsWith(data.task));
  expect(kept.map((name) => statSync(join(state, 'runs', name)).mode & 0o777)).toEqual([
    0o600, 0o600, 0o600, 0o600,
  ]);
});

test('a command is asked about, unless the page says which one it has shown', async () => {
  const dir = tempDir();
  process.env.VIBE_ENGINE_STATE_DIR = join(tempDir(), 'state');
  const line = `test -e go && echo done > done.txt`;
  await command(dir, ['exec', '--name', 'tests', '--json', '--', 'sh', '-c', line]);
  expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [{ status: 'failed' }] });
  const page = await open({ dir });
  const shown = await post<Resumed>(page, 'resume', {
    args: { task: 'tests' },
    options: { 'dry-run': true },
  });
  const { what } = shown.data.runs!;
  expect(what).toBe(`sh -c '${line}'`);

  const asked = await post<Resumed>(page, 'retry', { args: { task: 'tests' } });
  expect([asked.status, asked.data.status]).toEqual([200, 'in_progress']);
  const { questions } = (await post<{ questions: { id: string }[] }>(page, 'questions')).data;
  expect(questions).toMatchObject([
    {
      kind: 'confirm',
      text: `This task runs ${what}. Run it?`,
      options: [{ value: 'yes' }, { value: 'no' }],
    },
  ]);
  await post(page, 'questions answer', { args: { task: 'tests', id: questions[0]!.id, value: 'no' } });
  await until(async () =>
    expect((await post<{ questions: unknown[] }>(page, 'questions')).data.questions).toEqual([]),
  );

  writeFileSync(join(dir, 'go'), '');
  const done = await post<Resumed>(page, 'retry', { args: { task: 'tests' }, options: { 'agree-to': what } });
  expect(done.status).toBe(200);
  await until(async () =>
    expect(await ask(dir, 'tasks')).toMatchObject({ tasks: [{ status: 'completed', holder: null }] }),
  );
  expect(readFileSync(join(dir, 'done.txt'), 'utf8')).toBe('done\n');
});
