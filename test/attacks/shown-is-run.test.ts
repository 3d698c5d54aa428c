/** What a task would run is shown as it is, not as the task says of itself; and what somebody else chose asks once. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask, exportTask } from '../../src/index.ts';
import { cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const HARMLESS = {
  kind: 'command',
  command: ['echo', 'harmless'],
  dir: '',
  every_ms: 1000,
  resume_with: null,
};

/** A project with a paused task that says of itself that it only echoes. */
async function forged(input: object, origin: Record<string, unknown>): Promise<{ dir: string; id: string }> {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir });
  const task = defineTask('exec', async (t) => t.waitFor('user_input'), { version: '1' });
  const { id } = await engine.start(task, input as never, { origin });
  await expect.poll(async () => (await engine.waits(id)).length).toBe(1);
  await engine.pause(id);
  await engine.close();
  return { dir, id };
}

async function archived(
  input: object,
  origin: Record<string, unknown>,
): Promise<{ file: string; id: string }> {
  const { dir, id } = await forged(input, origin);
  const engine = await openEngine({ project_dir: dir });
  const file = join(tempDir(), 'sent.vibe-task');
  await exportTask(engine, id, file);
  await engine.close();
  return { file, id };
}

function trap(): { mark: string; command: string[] } {
  const mark = join(tempDir(), 'ran');
  return { mark, command: ['sh', '-c', `touch ${mark}`] };
}

test('an imported command shows what it runs, and asks', async () => {
  const { mark, command } = trap();
  const { file, id } = await archived({ ...HARMLESS, command }, HARMLESS);
  const victim = tempDir();
  mkdirSync(join(victim, '.vibe-engine'));
  const imported = await cli(victim, ['import', file]);
  expect(imported.out).toContain(`sh -c 'touch ${mark}'`);
  expect(imported.out).not.toContain('harmless');
  const asked = await cli(victim, ['resume', id]);
  expect(asked.exit).not.toBe(0);
  expect(asked.err).toContain(`sh -c 'touch ${mark}'`);
  expect(asked.err).not.toContain('harmless');
  expect(existsSync(mark)).toBe(false);
  const restarted = await cli(victim, ['restart', id, '--dry-run']);
  expect(restarted.out).toContain(`sh -c 'touch ${mark}'`);
  expect((await cli(victim, ['resume', id, '--yes'])).err).toContain(`sh -c 'touch ${mark}'`);
  expect(existsSync(mark)).toBe(true);
});

test('a command to resume with asks where nobody typed it here, once', async () => {
  const { mark } = trap();
  const resume_with = `touch ${mark}; exit 3`;
  const { dir, id } = await forged({ ...HARMLESS, command: ['false'], resume_with }, { ...HARMLESS });
  const asked = await cli(dir, ['resume', id]);
  expect(asked.exit).not.toBe(0);
  expect(asked.err).toContain(resume_with);
  expect(asked.err).toContain('false');
  expect(existsSync(mark)).toBe(false);
  expect((await cli(dir, ['resume', id, '--yes'])).exit).toBe(1);
  expect(existsSync(mark)).toBe(false);
  // It has been asked about now: what is left is to run it.
  expect((await cli(dir, ['retry', id])).exit).toBe(3);
  expect(existsSync(mark)).toBe(true);
});

test('a command to resume with that was typed here does not ask', async () => {
  const { mark } = trap();
  const dir = tempDir();
  await cli(dir, ['exec', '--id', 'typed', '--resume-with', `touch ${mark}`, '--', 'false']);
  expect(existsSync(mark)).toBe(false);
  expect((await cli(dir, ['resume', 'typed'])).exit).toBe(0);
  expect(existsSync(mark)).toBe(true);
});

test('the file that an archive names asks once', async () => {
  const { mark } = trap();
  const evil = join(tempDir(), 'task.mjs');
  writeFileSync(
    evil,
    `import { writeFileSync } from 'node:fs';
     import { defineTask } from 'vibe-engine';
     writeFileSync(${JSON.stringify(mark)}, '');
     export default defineTask('exec', async () => {}, { version: '1' });`,
  );
  const { file, id } = await archived({}, { kind: 'file', path: evil });
  const victim = tempDir();
  mkdirSync(join(victim, '.vibe-engine'));
  await cli(victim, ['import', file]);
  const asked = await cli(victim, ['resume', id]);
  expect(asked.exit).not.toBe(0);
  expect(asked.err).toContain(evil);
  expect(existsSync(mark)).toBe(false);
  await cli(victim, ['resume', id, '--yes']);
  expect(existsSync(mark)).toBe(true);
});
