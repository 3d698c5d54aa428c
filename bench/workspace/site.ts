/** The repository that is measured in, with a shadow git beside it and workspaces on it. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import type { Scratch } from '../harness.ts';
import { generateRepository } from './repository.ts';
import { type Shadow, shadowOf } from './shadow.ts';

export interface Site {
  readonly root: string;
  readonly files: readonly string[];
  readonly shadow: Shadow;
  /** A workspace whose store has nothing yet. */
  fresh(): Promise<Opened>;
  open(): Promise<Opened>;
}

export interface Opened {
  readonly workspace: Workspace;
  readonly storage: Storage;
  close(): Promise<void>;
}

let made: Site | undefined;

/** One for all figures: generating it takes longer than measuring. `BENCH_REPOSITORY` is where it stays for the next run. */
export function siteIn(scratch: Scratch, count?: number): Site {
  made ??= makeSite(scratch, count);
  return made;
}

function makeSite(scratch: Scratch, count?: number): Site {
  const kept = process.env.BENCH_REPOSITORY;
  const { directory: root, files } = generateRepository(kept ?? join(scratch.directory, 'repository'), count);
  // What an earlier run left changed.
  if (kept) execFileSync('git', ['restore', '.'], { cwd: root });
  // The page cache is warm for everyone.
  for (const file of files) readFileSync(join(root, file));
  const shadow = shadowOf(root, join(scratch.directory, 'shadow.git'));
  const store = join(root, '.vibe-engine');
  const open = () => openOn(root);
  const fresh = () => {
    rmSync(store, { recursive: true, force: true });
    return open();
  };
  return { root, files, shadow, open, fresh };
}

export async function openOn(root: string): Promise<Opened> {
  const storage = await openJsonStorage({ root: join(root, '.vibe-engine') });
  const workspace = await openWorkspace({ root, storage });
  const close = async (): Promise<void> => {
    await workspace.close();
    await storage.close();
  };
  return { workspace, storage, close };
}

/** Ten files far from each other, each a line longer. */
export function changeTen({ root, files }: Site, round: number): string[] {
  const paths = Array.from({ length: 10 }, (_, n) => files[(n * 4_987 + round * 31) % files.length]!);
  for (const path of paths) appendFileSync(join(root, path), `// ${round}\n`);
  return paths;
}

export async function timeOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
