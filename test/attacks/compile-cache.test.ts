/** Nobody else can put code where ours is kept compiled: it is in a directory of the user's own, or nowhere. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN } from '../cli/cli.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

interface Machine {
  readonly home: string;
  /** Shared with everybody. */
  readonly tmp: string;
  readonly cache: string;
}

function machine(): Machine {
  const [home, tmp] = [tempDir(), tempDir()];
  chmodSync(tmp, 0o1777);
  const cache = join(home, '.cache', 'vibe-engine', 'compile');
  return { home, tmp, cache };
}

function run({ home, tmp }: Machine, env: NodeJS.ProcessEnv = {}): string {
  const { PATH } = process.env;
  const options = { env: { PATH, HOME: home, TMPDIR: tmp, ...env }, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, [MAIN, '--version'], options);
}

test('compiled code is kept in a directory of the user’s own, and none in the shared one', () => {
  const here = machine();
  run(here);
  expect(readdirSync(here.tmp)).toEqual([]);
  expect(statSync(here.cache).mode & 0o777).toBe(0o700);
  expect(readdirSync(here.cache)).not.toEqual([]);
  const elsewhere = tempDir();
  run(here, { XDG_CACHE_HOME: elsewhere });
  expect(readdirSync(join(elsewhere, 'vibe-engine', 'compile'))).not.toEqual([]);
});

const attacks: Record<string, (place: Machine) => string> = {
  'is open to others': ({ cache }) => {
    mkdirSync(cache, { recursive: true });
    chmodSync(cache, 0o777);
    return cache;
  },
  'is a link to another': ({ cache, tmp }) => {
    mkdirSync(dirname(cache), { recursive: true });
    const planted = join(tmp, 'planted');
    mkdirSync(planted, { mode: 0o700 });
    symlinkSync(planted, cache);
    return planted;
  },
  'lies where others can change names': ({ cache }) => {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    chmodSync(dirname(cache), 0o777);
    return cache;
  },
  ...(process.getuid?.() === 0
    ? {
        'belongs to somebody else': ({ cache }: Machine) => {
          mkdirSync(cache, { recursive: true, mode: 0o700 });
          chownSync(cache, 65534, 65534);
          return cache;
        },
        'lies in what belongs to somebody else': ({ cache, home }: Machine) => {
          mkdirSync(cache, { recursive: true, mode: 0o700 });
          chownSync(home, 65534, 65534);
          return cache;
        },
      }
    : {}),
};
if (process.getuid?.() !== 0) console.log('not root: what belongs to somebody else cannot be made here');

test.each(Object.entries(attacks))('one that %s is not used, and the command works', (_name, attack) => {
  const here = machine();
  const planted = attack(here);
  expect(run(here)).toMatch(/^\d+\.\d+/);
  expect(readdirSync(planted)).toEqual([]);
  expect(existsSync(join(here.tmp, 'node-compile-cache'))).toBe(false);
});
