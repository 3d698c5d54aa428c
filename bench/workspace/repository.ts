/** A git repository of 50,000 files, about 430 MB of text that compresses as sources do, the same every time. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = 50_000;
const FILES_PER_DIRECTORY = 8;
const MEAN_BYTES = 8_600;

export interface Repository {
  readonly directory: string;
  readonly files: readonly string[];
}

/** `directory` is used as it is when a repository was generated there before. */
export function generateRepository(directory: string, count: number = FILES): Repository {
  const files = Array.from({ length: count }, (_, n) => pathOf(n));
  if (existsSync(join(directory, '.git'))) return { directory, files };
  const making = `${directory}.making`;
  rmSync(making, { recursive: true, force: true });
  const random = lehmer(1);
  for (const [n, file] of files.entries()) {
    const path = join(making, file);
    if (n % FILES_PER_DIRECTORY === 0) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, textOf(Math.floor(MEAN_BYTES * (0.1 + 1.8 * random())), random));
  }
  writeFileSync(join(making, '.gitignore'), 'node_modules/\n*.log\n/build/\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: making, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  // No packing in the background while something is measured.
  git('config', 'gc.auto', '0');
  git('-c', 'core.autocrlf=false', 'add', '-A');
  git('-c', 'user.name=bench', '-c', 'user.email=bench@localhost', 'commit', '-q', '-m', 'Everything');
  renameSync(making, directory);
  return { directory, files };
}

/** Three levels of directories, as in a large monorepo. */
function pathOf(n: number): string {
  const directory = Math.floor(n / FILES_PER_DIRECTORY);
  const [a, b, c] = [Math.floor(directory / 400), Math.floor(directory / 20) % 20, directory % 20];
  return `packages/area-${a}/module-${b}/part-${c}/file-${n % FILES_PER_DIRECTORY}.ts`;
}

const WORDS =
  'const let function return value index result options path name entry import export from type interface if else for of await async string number boolean null true false'.split(
    ' ',
  );

function textOf(bytes: number, random: () => number): string {
  let text = '';
  while (text.length < bytes) {
    const word = WORDS[Math.floor(random() * WORDS.length)]!;
    text += random() < 0.15 ? `${word};\n` : `${word}${Math.floor(random() * 1e4).toString(36)} `;
  }
  return text;
}

/** Random enough for this, and the same on every machine. */
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
