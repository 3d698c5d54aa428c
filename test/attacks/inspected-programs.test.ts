/** Looking at a checkpoint starts no program that somebody else named: none for an archive, and only known tools else. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { defineTask, exportTask, importTask } from '../../src/index.ts';
import { cli } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

/** Programs that note that they were started. */
function programs(...names: string[]): { path: string; started: (name: string) => boolean } {
  const dir = tempDir();
  for (const name of names) {
    writeFileSync(join(dir, name), `#!/bin/sh\ntouch '${dir}/${name}.started'\necho 1.2.3\n`);
    chmodSync(join(dir, name), 0o755);
  }
  return {
    path: `${dir}:${process.env.PATH}`,
    started: (name) => existsSync(join(dir, `${name}.started`)),
  };
}

/** A project whose one task needs these, and has a checkpoint. */
async function project(...names: string[]): Promise<{ dir: string; id: string }> {
  const dir = tempDir();
  const engine = await openEngine({ project_dir: dir });
  const env_requirements = Object.fromEntries(names.map((name) => [name, '>=1']));
  const task = defineTask('needs', async (t) => t.waitFor('user_input'), { env_requirements });
  const { id } = await engine.start(task, undefined);
  await expect.poll(async () => (await engine.waits(id)).length).toBe(1);
  await engine.pause(id);
  await engine.close();
  return { dir, id };
}

async function newest(dir: string, id: string): Promise<string> {
  const engine = await openEngine({ project_dir: dir });
  const [found] = (await engine.checkpoints.listCheckpoints(id)).slice(-1);
  await engine.close();
  return typeof found === 'string' ? found : found!.id;
}

test('nothing that an imported task names is started, known or not', async () => {
  const { dir, id } = await project('wipe-everything', 'terraform');
  const engine = await openEngine({ project_dir: dir });
  const file = join(dir, 'sent.vibe-task');
  await exportTask(engine, id, file);
  await engine.close();
  const victim = tempDir();
  mkdirSync(join(victim, '.vibe-engine'));
  const there = await openEngine({ project_dir: victim });
  await importTask(there, file);
  await there.close();
  const { path, started } = programs('wipe-everything', 'terraform');
  const inspected = await cli(victim, ['checkpoints', 'inspect', await newest(victim, id)], { PATH: path });
  expect(inspected.out).toContain('wipe-everything');
  expect(inspected.out).toContain('was not asked');
  expect([started('wipe-everything'), started('terraform')]).toEqual([false, false]);
  const again = await openEngine({ project_dir: victim });
  await exportTask(again, id, join(victim, 'again.vibe-task')); // The note on where it came from stays here.
  await again.close();
});

test('of one’s own task only known tools are asked', async () => {
  const { dir, id } = await project('wipe-everything', 'terraform');
  const { path, started } = programs('wipe-everything', 'terraform');
  const { out } = await cli(dir, ['checkpoints', 'inspect', await newest(dir, id)], { PATH: path });
  expect(out).toMatch(/wipe-everything was not asked/);
  expect(out).not.toMatch(/terraform was not asked/);
  expect([started('wipe-everything'), started('terraform')]).toEqual([false, true]);
});

test('what the code of the task declares itself is asked when it is resumed', async () => {
  const { dir, id } = await project('my-own-tool');
  const { path, started } = programs('my-own-tool');
  const before = process.env.PATH;
  process.env.PATH = path;
  try {
    const task = defineTask('needs', async (t) => t.waitFor('user_input'), {
      env_requirements: { 'my-own-tool': '>=1' },
    });
    const engine = await openEngine({ project_dir: dir, tasks: [task] });
    await engine.answer(id, 'on');
    await (await engine.resume(id)).result;
    await engine.close();
  } finally {
    process.env.PATH = before;
  }
  expect(started('my-own-tool')).toBe(true);
});
