/** Checks everything a JSON store holds, without changing it. */
import { join } from 'node:path';
import { VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { openIfExists, readIfExists } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import type { Done } from '../../system/progress.ts';
import { isWholeBlob } from '../blob-names.ts';
import { next } from '../chain.ts';
import type { BlobInfo, Problem } from '../contract.ts';
import { getBlob, listBlobs } from './blobs.ts';
import type { Layout } from './layout.ts';
import { entriesOf } from './lines/frame.ts';
import { damaged, NO_SUM, scanForward } from './lines/log.ts';
import { categoryDirs, keysInFiles, taskIds } from './list.ts';
import { damagedViews, readRecord } from './records.ts';
import { loadScope, type Scope } from './scope.ts';
import { decodeIndex } from './view.ts';

/** A blob is one part, the rest of a task is one. */
export function* verifyStore(layout: Layout, at: Done = () => {}): Generator<Problem> {
  const tasks = [...taskIds(layout)];
  const shared = [...listBlobs(layout, null)];
  let [done, of] = [0, tasks.length + shared.length];
  const counted = function* (task: string | null, blobs: readonly BlobInfo[]): Generator<Problem> {
    for (const blob of blobs) {
      at(done++, of);
      yield* checkBlob(layout, task, blob);
    }
  };
  yield* problemsOf(null, layout.sharedLog, () => checkOutside(layout));
  yield* counted(null, shared);
  for (const task of tasks) {
    at(done++, of);
    yield* problemsOf(task, layout.taskLog(task), () => checkTask(layout, task));
    const blobs = [...listBlobs(layout, task)];
    of += blobs.length;
    yield* counted(task, blobs);
  }
}

function* checkTask(layout: Layout, task: string): Generator<Problem> {
  const scope = loadScope(layout, task);
  if (!scope) return;
  checkChain(layout.taskLog(task));
  const index = readIfExists(layout.taskIndex(task));
  if (index && !decodeIndex(index)) {
    const message = phrase`The index of the views is damaged; it is rebuilt at the next write.`;
    yield { code: 'VIEW_DAMAGED', message, task, where: layout.taskIndex(task) };
  }
  for (const { category, key } of scope.records.values()) yield* checkRecord(layout, scope, category, key);
  for (const where of damagedViews(layout, scope)) {
    const message = phrase`The readable file of a record was changed or is damaged; the journal has the record.`;
    yield { code: 'VIEW_DAMAGED', message, task, where };
  }
}

/** The log's frames, and through them the journal's own chain. */
function checkChain(path: string): void {
  const file = openIfExists(path);
  if (!file) return;
  try {
    let before: { seq: number; hash: string } | undefined;
    for (const { frame, start } of scanForward(file, 0, NO_SUM)) {
      for (const entry of entriesOf(frame)) {
        if (before && entry.seq === before.seq + 1 && next(before, entry.text).hash !== entry.hash) {
          throw damaged(path, start, phrase`entry ${entry.seq} does not follow the one before it`);
        }
        before = entry;
      }
    }
  } finally {
    io.close(file);
  }
}

function* checkOutside(layout: Layout): Generator<Problem> {
  const scope = loadScope(layout, null);
  if (!scope) return;
  if (scope.damage)
    yield { code: scope.damage.code, message: scope.damage.message, task: null, where: scope.path };
  for (const category of categoryDirs(layout))
    for (const key of keysInFiles(layout, category)) yield* checkRecord(layout, scope, category, key);
}

function* checkRecord(layout: Layout, scope: Scope, category: string, key: string): Generator<Problem> {
  yield* problemsOf(scope.task, layout.recordFile(category, key), () => {
    readRecord(layout, scope, category, key);
    return [];
  });
}

function* checkBlob(layout: Layout, task: string | null, { id }: BlobInfo): Generator<Problem> {
  const where = join(layout.blobDir(task, id.split('/')[0]!), id.split('/')[1]!);
  yield* problemsOf(task, where, () => {
    const bytes = getBlob(layout, task, id);
    if (!bytes || isWholeBlob(id, bytes)) return [];
    return [{ code: 'CORRUPT', message: phrase`The blob ${id} is not what was stored.`, task, where }];
  });
}

function* problemsOf(task: string | null, where: string, check: () => Iterable<Problem>): Generator<Problem> {
  try {
    yield* check();
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
    yield { code: error.code, message: error.message, task, where };
  }
}
