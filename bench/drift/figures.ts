/** What looking for drift costs when there is none. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { detect } from '../../src/drift/detect.ts';
import { gitAt } from '../../src/drift/git.ts';
import { look, type Sight } from '../../src/drift/look.ts';
import { newTracker } from '../../src/drift/note.ts';
import { findRepository } from '../../src/drift/place.ts';
import type { Comparison, Figure, Scratch } from '../harness.ts';

const run = promisify(execFile);
const HOW =
  'a clone of a bare repository beside it, 5 files changed and 5 not tracked, nothing new upstream: one look, relative to `git fetch` and `git status` by hand, one after the other';

export function driftFigures(scratch: Scratch): Figure[] {
  return [100, 5000].map((count) => ({
    name: `a look with nothing new, ${count} files / git fetch + git status`,
    bar: { atMost: 1.5 },
    how: `${count} files, ${HOW}`,
    prepare: () => looking(scratch.fresh('drift'), count),
  }));
}

async function looking(dir: string, count: number): Promise<Comparison> {
  const work = makeClone(dir, count);
  const git = gitAt(findRepository(work)!);
  const sight = (await look(git, { wanted: null, fetch_timeout_ms: null })) as Sight;
  const own = async () => new Set(sight.changed.map(({ path }) => path));
  const options = { wanted: null, fetch_timeout_ms: 60_000, own };
  const first = await detect(git, {
    ...options,
    known: newTracker('t0', sight, 0, new Date(0).toISOString()),
  });
  const known = { ...newTracker('t0', sight, 0, new Date(0).toISOString()), others: [...first.others] };
  return {
    floor: () =>
      timeOf(async () => {
        await run('git', ['fetch'], { cwd: work });
        await run('git', ['status'], { cwd: work });
      }),
    subject: () =>
      timeOf(async () => {
        const { findings, unknown } = await detect(git, { ...options, known });
        if (findings.length > 0 || unknown) throw new Error('There is something new.');
      }),
    close: async () => {},
  };
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function makeClone(dir: string, count: number): string {
  mkdirSync(dir, { recursive: true });
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'ignore' });
  const [first, work] = [join(dir, 'first'), join(dir, 'work')];
  git(dir, 'init', '--quiet', '--initial-branch=main', 'first');
  for (let n = 0; n < count; n++)
    put(first, `src/d${n % 50}/f${n}.ts`, `export const f${n} = ${n};\n`.repeat(20));
  git(first, 'add', '-A');
  git(first, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '--quiet', '-m', 'files');
  git(dir, 'clone', '--quiet', '--bare', 'first', 'upstream.git');
  git(dir, 'clone', '--quiet', 'upstream.git', 'work');
  for (let n = 0; n < 5; n++) {
    put(work, `src/d${n}/f${n}.ts`, 'export {};\n');
    put(work, `new/${n}.ts`, 'export {};\n');
  }
  return work;
}

function put(root: string, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}
