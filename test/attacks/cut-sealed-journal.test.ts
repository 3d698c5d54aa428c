/** The end of a sealed journal cut off: what docs/reference/security.md says is noticed is noticed, and what it says is not is not. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { untilStatus } from '../engine/letters.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', 'c0ffee'.padEnd(64, '0')));
afterEach(() => void vi.unstubAllEnvs());

const STEPS = 6;
const CUT = 6;
let runs: string[] = [];
const counting = defineTask(
  'counting',
  async (task) => {
    for (let n = 0; n < STEPS; n++) await task.step(`step ${n}`, () => void runs.push(`step ${n}`));
    await task.waitFor('user_input', { prompt: 'and now?' });
  },
  { version: '1' },
);

const open = (dir: string) =>
  openEngine({
    project_dir: dir,
    tasks: [counting],
    signals: false,
    automatic_cleanup: false,
    config: { encryption: { enabled: true, key_from: 'environment' } },
  });

/** A task that lies still after its steps; and its directory as it was before the last of its commits. */
async function stopped() {
  const dir = tempDir();
  runs = [];
  const engine = await open(dir);
  const { id, outcome } = await engine.start(counting, undefined);
  await untilStatus(engine, id, 'waiting');
  await engine.pause(id);
  await outcome;
  await engine.close();
  expect(runs).toHaveLength(STEPS);
  const at = join(dir, '.vibe-engine', 'tasks', id);
  const lines = readFileSync(join(at, 'journal.log')).toString('latin1').split('\n');
  const whole = lines.filter((line) => line !== '' && !/^\0*$/.test(line));
  writeFileSync(join(at, 'journal.log'), `${whole.slice(0, -CUT).join('\n')}\n`, 'latin1');
  return { dir, id, at };
}

/** What is made again from the journal. */
function removeViews(at: string): void {
  for (const name of readdirSync(at)) {
    if (name === 'journal.log' || name === 'blobs' || name === 'context') continue;
    rmSync(join(at, name), { recursive: true });
  }
}

const doctor = async (dir: string) => {
  const engine = await open(dir);
  const found = await Array.fromAsync(engine.storage.verify());
  await engine.close();
  return found;
};

describe('a JSON journal without its last commits', () => {
  test('alone is noticed: by doctor, and when the task is taken up', async () => {
    const { dir, id } = await stopped();
    expect((await doctor(dir)).length).toBeGreaterThan(0);
    const engine = await open(dir);
    await expect(engine.storage.claim(id)).rejects.toMatchObject({ code: 'CORRUPT' });
    await engine.close();
  });

  test('together with all that is made from it is not, as the docs say: its last steps run again', async () => {
    const { dir, id, at } = await stopped();
    removeViews(at);
    expect(await doctor(dir)).toEqual([]);
    const before = runs.length;
    const engine = await open(dir);
    await engine.resume(id);
    await untilStatus(engine, id, 'waiting');
    expect(runs.length).toBeGreaterThan(before);
    await engine.close();
    const text = readFileSync(join(import.meta.dirname, '../../docs/reference/security.md'), 'utf8');
    expect(text.replaceAll('\n', ' ')).toContain(
      'a task whose journal is cut off together with all its records',
    );
  });
});
