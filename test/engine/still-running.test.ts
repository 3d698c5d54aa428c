/** A command that outlives the process which ran it is not started a second time beside itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const TELLS = existsSync('/proc/self/environ');

async function killedIn(dir: string, began: () => boolean): Promise<void> {
  const program = join(import.meta.dirname, 'shell-child.ts');
  const child: ChildProcess = spawn(process.execPath, [program, dir, 'build-1', '{}'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  await expect.poll(began).toBe(true);
  child.kill('SIGKILL');
  await ended;
}

test.skipIf(!TELLS)(
  'while it runs nothing is done with its task; then it is run again, and that is said',
  async () => {
    const dir = tempDir();
    const out = () => (existsSync(join(dir, 'out.txt')) ? readFileSync(join(dir, 'out.txt'), 'utf8') : null);
    await killedIn(dir, () => out() === 'half\n');
    const builds = defineTask('builds', ({ shell }) => shell('echo whole > out.txt'), { version: '1' });
    const told: string[] = [];
    const notify = (lines: readonly string[]) => void told.push(...lines);
    const engine = await openEngine({
      project_dir: dir,
      workspace: true,
      signals: false,
      tasks: [builds],
      notify,
    });
    const verbs = [
      () => engine.resume('build-1'),
      () => engine.restart('build-1', { undo: false }),
      () => engine.undo('build-1'),
      () => engine.restart('build-1'),
    ];
    let pids: readonly number[] = [];
    for (const verb of verbs) {
      const refused: { hint: string; data: { pids: number[] } } = await verb().then(
        () => null as never,
        (error) => error,
      );
      expect(refused).toMatchObject({ code: 'NOT_RESUMABLE', data: { task: 'build-1' } });
      pids = refused.data.pids;
      expect(refused.hint).toContain(`kill ${pids.join(' ')}.`);
    }
    expect(out()).toBe('half\n');
    for (const pid of pids) endIfRunning(pid);
    const take = () => engine.resume('build-1').catch(() => null);
    let handle = await take();
    await expect.poll(async () => (handle ??= await take())).not.toBeNull();
    expect(await handle!.result).toMatchObject({ code: 0 });
    expect(out()).toBe('whole\n');
    await engine.close();
    expect(told).toContain('This command was interrupted, and runs again: echo whole > out.txt');
  },
);

/** A process of it may have ended with another one. */
function endIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
