/** Tasks that change files of a git repository, and what can be read back of every snapshot that something names. */
import { hash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CheckpointRecord } from '../../src/checkpoint/record/record.ts';
import { defineTask, type TaskDefinition } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { liveCheckpoints } from '../../src/engine/history/checkpoints.ts';
import { liveEntries } from '../../src/engine/task/journal.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import { loadRolledBack } from '../../src/engine/task/records/rolled-back.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openRepository, type Repository } from '../../src/workspace/git/repository.ts';
import { storeId } from '../../src/workspace/git/store-id.ts';
import { openReader } from '../../src/workspace/snapshot/reader.ts';
import { loadSnapshot } from '../../src/workspace/snapshot/snapshots.ts';
import { everyEntry } from '../../src/workspace/tree/tree.ts';
import { unlessFull } from '../support/full.ts';
import { type Copied, filesBelow, headOf, writeFiles, writeRef } from '../support/git-files.ts';
import { git, put } from '../workspace/ground.ts';
import { untilStatus } from './letters.ts';

export interface Edits {
  /** The project. */
  readonly dir: string;
  /** Path and content of each change, each a step of its own; null removes the file. */
  readonly changes: readonly (readonly [path: string, content: string | null])[];
  readonly end: 'complete' | 'fail' | 'pause';
}

export const editor: TaskDefinition<Edits, number> = defineTask(
  'editor',
  async (task, { dir, changes, end }: Edits) => {
    for (const [path, content] of changes) {
      await task.step(`change ${path}`, () => change(dir, path, content), { dangerous: 'file_change' });
    }
    if (end === 'pause') await task.waitFor('user_input', { prompt: 'and now?' });
    if (end === 'fail') throw new Error('as asked');
    return changes.length;
  },
  { version: '1' },
);

export function change(dir: string, path: string, content: string | null): void {
  if (content === null) rmSync(join(dir, path), { force: true });
  else put(dir, path, content);
}

/** Runs one to its end; `pause` leaves it paused. Answers its id. */
export async function edit(engine: Engine, edits: Edits): Promise<string> {
  const { id, outcome } = await engine.start(editor, edits);
  return settle(engine, id, outcome, edits.end);
}

/** Whatever was changed by others, and whichever branch is checked out now. */
const ANYHOW = { on_modified: 'use_current', on_deleted: 'skip', on_environment: 'continue' } as const;

export async function editOn(engine: Engine, id: string, end: Edits['end']): Promise<string> {
  const { outcome } = await engine.resume(id, ANYHOW);
  return settle(engine, id, outcome, end);
}

async function settle(
  engine: Engine,
  id: string,
  outcome: Promise<unknown>,
  end: Edits['end'],
): Promise<string> {
  if (end === 'pause') {
    await untilStatus(engine, id, 'waiting');
    await engine.pause(id);
  }
  await outcome;
  return id;
}

/** A repository with files in it, tracked and not. */
export function newRepository(dir: string, files: Record<string, string>): void {
  const key = JSON.stringify(files);
  const isEmpty = readdirSync(dir).length === 0;
  const made = isEmpty ? repositories.get(key) : undefined;
  if (made) {
    writeFiles(made, dir, dir);
    git(dir, 'update-index', '--refresh'); // It knows files by their inodes.
    return;
  }
  git(dir, 'init', '-q');
  // Commands that commit run as the user, who may have no name here.
  appendFileSync(join(dir, '.git', 'config'), '[user]\n\tname = test\n\temail = test@localhost\n');
  for (const [path, content] of Object.entries(files)) put(dir, path, content);
  commitAll(dir);
  if (isEmpty) repositories.set(key, filesBelow(dir, ['.']));
}

/** Those made before in this process. */
const repositories = new Map<string, Copied>();

export function commitAll(dir: string): void {
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'files');
  // As if it were pushed: on a store that machines share, only what a remote has is left to git.
  const commit = headOf(dir);
  if (commit) writeRef(join(dir, '.git'), 'refs/remotes/origin/main', commit);
  else git(dir, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
}

/**
 * Nothing but our holds keeps any object: no commit, no reflog, no index, and everything else is collected. Git starts ten
 * processes to collect; where nothing is packed, one takes the same objects.
 */
export function forgetHistory(dir: string, by: 'gc' | 'prune' = unlessFull('prune', 'gc')): void {
  const at = (...path: string[]) => join(dir, '.git', ...path);
  const branch = `b${Date.now()}${Math.random().toString(36).slice(2)}`;
  writeFileSync(at('HEAD'), `ref: refs/heads/${branch}\n`);
  for (const gone of ['index', 'ORIG_HEAD', 'logs', 'refs/heads', 'refs/remotes'])
    rmSync(at(gone), { recursive: true, force: true });
  mkdirSync(at('refs', 'heads'));
  const isPacked = existsSync(at('packed-refs')) || readdirSync(at('objects', 'pack')).length > 0;
  if (isPacked) {
    const refs = git(dir, 'for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes');
    for (const ref of refs.split('\n').filter(Boolean)) git(dir, 'update-ref', '-d', ref);
  }
  if (by === 'gc' || isPacked) git(dir, 'gc', '-q', '--prune=now');
  else git(dir, 'prune', '--expire=now');
  commitAll(dir);
}

export function holdsIn(dir: string): string[] {
  if (!existsSync(join(dir, '.git'))) return [];
  return git(dir, 'for-each-ref', '--format=%(refname)', 'refs/vibe-engine').split('\n').filter(Boolean);
}

/** Snapshots that something kept needs: of checkpoints, of journals that count, of what can be redone. */
export async function neededSnapshots(engine: Engine): Promise<Map<string, string>> {
  const { storage } = engine;
  const needed = new Map<string, string>();
  for (const { task_id: task } of await engine.tasks({ limit: 1000 })) {
    const places = await liveCheckpoints(storage, task);
    for (const place of places) {
      const { snapshot } = await place.read();
      if (snapshot !== undefined) needed.set(snapshot, `checkpoint ${place.sequence} of ${task}`);
    }
    const head = (await loadHead(storage, task))!;
    if (places.length > 0) {
      for await (const { entry, seq } of liveEntries(storage, head)) {
        if (entry.t === 'begin' && entry.snapshot) needed.set(entry.snapshot, `entry ${seq} of ${task}`);
        if ((entry.t === 'step' || entry.t === 'failure') && entry.files)
          for (const id of [entry.files.from, entry.files.to]) needed.set(id, `entry ${seq} of ${task}`);
        if (entry.t === 'rollback' && entry.snapshot) needed.set(entry.snapshot, `entry ${seq} of ${task}`);
      }
    }
    for (const { key } of head.undone) {
      const undone = await loadRolledBack(storage, key);
      for (const id of Object.values(undone?.files ?? {})) needed.set(id, key);
      for (const { data } of undone?.checkpoints ?? []) {
        const { snapshot } = data as CheckpointRecord;
        if (snapshot !== undefined) needed.set(snapshot, key);
      }
    }
  }
  return needed;
}

export interface Look {
  /** A hash over all files of a snapshot, every byte of them read; throws where one is missing. */
  files(snapshot: string): Promise<string>;
  close(): void;
}

/** Past the workspace, with nothing remembered. */
export async function lookInto(storage: Storage, root: string): Promise<Look> {
  const repository: Repository | null = await openRepository(root, await storeId(storage));
  const reader = openReader(storage, repository);
  return {
    async files(snapshot) {
      const { tree } = await loadSnapshot(storage, snapshot);
      const lines: string[] = [];
      for (const [path, entry] of everyEntry(tree)) {
        if (entry.kind === 'file') await reader.read(tree, path, snapshot);
        lines.push(`${path} ${entry.kind} ${entry.kind === 'file' ? `${entry.mode} ${entry.hash}` : ''}`);
      }
      return hash('sha256', lines.join('\n'));
    },
    close: () => repository?.close(),
  };
}

/** Every file of every snapshot that is needed can be read, and is what it always was. */
export async function expectAllThere(
  engine: Engine,
  root: string,
  seen: Map<string, string>,
): Promise<number> {
  const look = await lookInto(engine.storage, root);
  const needed = await neededSnapshots(engine);
  try {
    for (const [snapshot, by] of needed) {
      const files = await look.files(snapshot);
      expect(files, `${snapshot} of ${by}`).toBe(seen.get(snapshot) ?? files);
      seen.set(snapshot, files);
    }
  } finally {
    look.close();
  }
  return needed.size;
}

/** How many blobs of each kind belong to no task. */
export async function sharedBlobs(storage: Storage): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of storage.listBlobs(null)) found.push(id);
  return found;
}
