/** A directory of files and a workspace on it, for tests; and the same files as plain data, read past the workspace. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { entryAt, everyEntry } from '../../src/workspace/tree/tree.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../../src/workspace/workspace.ts';
import { NO_UPKEEP } from '../support/git-files.ts';
import { tempDirs } from '../support/temp.ts';

/** `dir`, a link's target or bytes, each with the mode where it has one. */
export type Thing =
  | { readonly kind: 'dir'; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: string };
export type Files = Map<string, Thing>;

export interface Ground {
  readonly root: string;
  storage(): Promise<Storage>;
  open(options?: Partial<WorkspaceOptions>): Promise<Workspace>;
}

export interface Grounds {
  (): Ground;
  /** Closes all that was opened so far: for tests that need thousands of them. */
  close(): Promise<void>;
}

export function grounds(): Grounds {
  const tempDir = tempDirs();
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const closeOne of closing.splice(0).reverse()) await closeOne();
  };
  afterEach(close);
  const newGround = (): Ground => {
    const root = tempDir();
    const store = tempDir();
    let opened: Promise<Storage> | undefined;
    const storage = (): Promise<Storage> => {
      if (!opened) {
        opened = openJsonStorage({ root: join(store, 'store') });
        closing.push(async () => (await opened)?.close());
      }
      return opened;
    };
    return {
      root,
      storage,
      async open(options = {}) {
        const workspace = await openWorkspace({ root, storage: await storage(), ...options });
        closing.push(() => workspace.close());
        return workspace;
      },
    };
  };
  return Object.assign(newGround, { close });
}

/** Everything in a directory but what is git's and ours. */
export function filesIn(root: string, directory = ''): Files {
  const files: Files = new Map();
  for (const name of readdirSync(join(root, directory)).sort()) {
    if (name === '.git' || name === '.vibe-engine') continue;
    const path = directory === '' ? name : `${directory}/${name}`;
    const full = join(root, path);
    const stat = lstatSync(full);
    const mode = stat.mode & 0o777;
    if (stat.isDirectory()) {
      files.set(path, { kind: 'dir', mode });
      for (const [below, thing] of filesIn(root, path)) files.set(below, thing);
    } else if (stat.isSymbolicLink()) files.set(path, { kind: 'symlink', target: readlinkSync(full) });
    else if (stat.isFile()) files.set(path, { kind: 'file', mode, bytes: readFileSync(full, 'latin1') });
  }
  return files;
}

/** The same from a snapshot. What was not captured is not in it. */
export async function filesOf(workspace: Workspace, snapshot: string): Promise<Files> {
  const tree = await workspace.tree(snapshot);
  const files: Files = new Map();
  for (const [path, entry] of everyEntry(tree)) {
    if (entry.kind === 'dir') files.set(path, { kind: 'dir', mode: entry.mode });
    if (entry.kind === 'symlink') files.set(path, { kind: 'symlink', target: entry.target });
    if (entry.kind !== 'file') continue;
    const bytes = Buffer.from(await workspace.read(snapshot, path)).toString('latin1');
    files.set(path, { kind: 'file', mode: entry.mode, bytes });
  }
  return files;
}

export async function entryIn(workspace: Workspace, snapshot: string, path: string) {
  return entryAt(await workspace.tree(snapshot), path);
}

export function put(root: string, path: string, content: string | Uint8Array, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

/** Puts a thing in place of whatever is there. */
export function putThing(root: string, path: string, thing: Thing): void {
  const full = join(root, path);
  rmSync(full, { recursive: true, force: true });
  mkdirSync(dirname(full), { recursive: true });
  if (thing.kind === 'dir') mkdirSync(full);
  else if (thing.kind === 'symlink') symlinkSync(thing.target, full);
  else writeFileSync(full, thing.bytes, 'latin1');
  if (thing.kind !== 'symlink') chmodSync(full, thing.mode);
}

export function git(root: string, ...args: string[]): string {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    ...NO_UPKEEP,
  };
  const identity = [
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@localhost',
    '-c',
    'init.defaultBranch=main',
  ];
  return execFileSync('git', [...identity, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trim();
}
