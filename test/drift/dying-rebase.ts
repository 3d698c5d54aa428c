/** A rebase in a process that dies in its middle. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UNFINISHED, type Unfinished } from '../../src/drift/rebase/undo.ts';
import type { Clone } from './ground.ts';

const CHILD = join(import.meta.dirname, 'rebase-child.ts');

/** At the nth call that changes the disk once it has begun; null when it came to its end. */
export function dieAt(work: Clone, nth: number): Unfinished | null {
  const note = join(work.dir, `../unfinished-${nth}`);
  const args = [CHILD, work.dir, note, String(nth)];
  const env = { ...process.env, TMPDIR: join(work.dir, '..') }; // What it leaves there goes with the test.
  const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (status === 0) return null;
  if (signal !== 'SIGKILL') throw new Error(`It ended otherwise than by being killed: ${stderr}`);
  return UNFINISHED.parse(JSON.parse(readFileSync(note, 'utf8')));
}
