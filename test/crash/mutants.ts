/**
 * Nine bugs that have cost other systems their users' data, each as a small change to a copy of the engine's sources.
 * The campaigns are run on the copies as they are run on the real thing; every copy must be caught.
 */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Mutant {
  readonly name: string;
  readonly changes: readonly Change[];
}

interface Change {
  /** In `src/`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fsync',
    changes: [
      { file: 'storage/json/owned.ts', find: 'io.fdatasync(owned.file!);', replace: '' },
      {
        file: 'storage/json/owned.ts',
        find: 'io\n        .fdatasyncAsync(owned.file!)',
        replace: 'Promise.resolve()',
      },
      { file: 'storage/json/shared.ts', find: 'io.fdatasync(file);', replace: '' },
    ],
  },
  {
    name: 'no dirsync',
    changes: [{ file: 'system/files.ts', find: 'io.fsync(dir);', replace: '' }],
  },
  {
    name: 'early acknowledgement',
    changes: [
      {
        file: 'storage/json/owned.ts',
        find: 'io.fdatasync(owned.file!);',
        replace: 'setTimeout(() => { try { io.fdatasync(owned.file!); } catch {} }, 5);',
      },
      {
        file: 'storage/json/owned.ts',
        find: 'io\n        .fdatasyncAsync(owned.file!)',
        replace: '(void io.fdatasyncAsync(owned.file!).catch(() => {}), Promise.resolve())',
      },
    ],
  },
  {
    name: 'unchecked short write',
    changes: [
      { file: 'system/files.ts', find: 'while (done < bytes.length) {', replace: 'if (bytes.length > 0) {' },
    ],
  },
  {
    name: 'head before blob',
    changes: [
      {
        file: 'storage/json/blobs.ts',
        find: 'if (missing.length > 0) await placeFiles(missing);',
        replace:
          'setTimeout(() => { try { for (const { path, bytes } of missing) placeFile(path, bytes, true); for (const dir of dirs) syncDir(dir); } catch {} }, 2);',
      },
    ],
  },
  {
    name: 'mark after commit',
    changes: [
      {
        file: 'storage/json/unsynced.ts',
        find: 'replaceFile(path, digits(number));',
        replace: 'placeFileUnsynced(path, digits(number));',
      },
    ],
  },
  {
    name: 'no checksum',
    changes: [
      {
        file: 'storage/json/lines/frame.ts',
        find: 'return isAt(bytes, sumAt, sum) ? sum : null;',
        replace: 'return sum;',
      },
    ],
  },
  {
    name: 'retried fsync',
    changes: [
      {
        file: 'system/io.ts',
        find: "call('fdatasync', file.path, () => fs.fdatasyncSync(file.fd));",
        replace:
          "const sync = () => call('fdatasync', file.path, () => fs.fdatasyncSync(file.fd)); try { sync(); } catch { sync(); }",
      },
      {
        file: 'storage/json/owned.ts',
        find: 'io\n        .fdatasyncAsync(owned.file!)',
        replace: 'io.fdatasyncAsync(owned.file!).catch(() => io.fdatasyncAsync(owned.file!))',
      },
    ],
  },
  {
    name: 'no fencing',
    changes: [
      { file: 'system/locks/locks.ts', find: 'if (held.get(name) === fence) return;', replace: 'return;' },
      { file: 'storage/json/fence.ts', find: 'if (!isNewest()) throw later();', replace: '' },
      {
        file: 'storage/sqlite/commit.ts',
        find: 'return head.id !== null && head.fence !== fence ? fencedOut(task, fence, head.fence) : null;',
        replace: 'return null;',
      },
      {
        file: 'storage/postgres/sql/commit.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the source reads.
        find: 'ELSE ${head}fence = ${fence}${owner && ` AND ${head}owner = ${owner}`} AND ${head}lease_until > clock_timestamp() END',
        replace: 'ELSE true END',
      },
    ],
  },
];

/** The project's own sources. */
export const SOURCES: string = fileURLToPath(new URL('../../src', import.meta.url));

/** Copies the sources into `dir` with the bug in them; answers where they are. */
export function plant(mutant: Mutant, dir: string): string {
  const project = join(SOURCES, '..');
  const src = join(dir, 'src');
  mkdirSync(dir, { recursive: true });
  cpSync(SOURCES, src, { recursive: true });
  copyFileSync(join(project, 'package.json'), join(dir, 'package.json'));
  symlinkSync(join(project, 'node_modules'), join(dir, 'node_modules'));
  for (const { file, find, replace } of mutant.changes) {
    const text = readFileSync(join(src, file), 'utf8');
    if (text.split(find).length !== 2) {
      throw new Error(
        `The bug "${mutant.name}" no longer fits: ${file} must hold this exactly once: ${find}`,
      );
    }
    writeFileSync(
      join(src, file),
      text.replace(find, () => replace),
    );
  }
  return src;
}

/** Works on a copy of the sources with the bug in them, which is removed afterwards. */
export async function withBug<T>(mutant: Mutant, work: (src: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'vibe-engine-mutant-'));
  try {
    return await work(plant(mutant, dir));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The names of the bugs that went unnoticed, one after the other; `catchOne` answers what gave a bug away. */
export async function missedOf<M extends Mutant>(
  mutants: readonly M[],
  catchOne: (mutant: M) => Promise<string | undefined>,
  say: (line: string) => void,
): Promise<string[]> {
  const missed: string[] = [];
  for (const mutant of mutants) {
    const what = await catchOne(mutant);
    say(`"${mutant.name}" ${what === undefined ? 'missed' : `caught: ${what.slice(0, 160)}`}`);
    if (what === undefined) missed.push(mutant.name);
  }
  return missed;
}
