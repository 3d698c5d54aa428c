/** Repairs a damaged log: keeps the intact part before the damage, and every intact record. */
import { basename, dirname, join } from 'node:path';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import {
  ensureDir,
  openIfExists,
  readIfExists,
  removeIfExists,
  replaceFile,
  syncDir,
} from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import * as io from '../../system/io.ts';
import { START } from '../chain.ts';
import type { Repair } from '../contract.ts';
import { resetLog } from './compact.ts';
import type { Layout } from './layout.ts';
import {
  decodeFrame,
  encodeFrame,
  type FrameMeta,
  type FrameRecord,
  recordsOf,
  sumAtEnd,
} from './lines/frame.ts';
import { encodeHeader, gapsMember, NO_SUM, scanForward } from './lines/log.ts';
import { keysInFiles } from './list.ts';
import { damagedViews, recallViews, syncViews, writeViews } from './records.ts';
import { damagedScope, loadScope, type Scope } from './scope.ts';
import { decodeIndex, decodeView } from './view.ts';

/** Keeps everything as it was in a directory next to it. Null when there is no damage. */
export function repairLog(layout: Layout, task: string): Repair | null {
  const path = layout.taskLog(task);
  const damage = findDamage(layout, task, path);
  if (!damage) return repairViews(layout, task);
  const aside = join(layout.taskDir(task), asideName());
  ensureDir(aside);
  for (const name of ['journal.log', 'views.index']) {
    const bytes = readIfExists(join(dirname(path), name));
    if (bytes) replaceFile(join(aside, name), bytes);
  }
  const repaired = goodPart(layout, damagedScope(layout, task, damage));
  // The index is removed first: it describes a longer log.
  removeIfExists(layout.taskIndex(task));
  syncDir(dirname(path));
  replaceFile(path, repaired);
  return { kept: loadScope(layout, task)?.position ?? START, aside, message: damage.message };
}

/** Files that do not show what the log says are kept aside as they are, and written again from it. */
function repairViews(layout: Layout, task: string): Repair | null {
  const scope = loadScope(layout, task);
  if (!scope) return null;
  const views = damagedViews(layout, scope);
  const index = readIfExists(layout.taskIndex(task));
  const damaged = index && !decodeIndex(index) ? [...views, layout.taskIndex(task)] : views;
  if (damaged.length === 0) return null;
  const aside = join(layout.taskDir(task), asideName());
  ensureDir(aside);
  for (const [at, path] of damaged.entries())
    replaceFile(join(aside, `${at}-${basename(path)}`), readIfExists(path)!);
  for (const path of damaged) removeIfExists(path);
  recallViews(layout, scope);
  writeViews(layout, scope);
  const message = phrase`The readable file of a record was changed or is damaged; the journal has the record.`;
  return { kept: scope.position, aside, message };
}

/** The same for the records outside tasks: the views have what the damaged part of the log held. */
export function repairShared(layout: Layout, scope: Scope): Repair {
  const aside = join(layout.root, asideName());
  ensureDir(aside);
  replaceFile(join(aside, 'records.log'), readIfExists(scope.path)!);
  const { message } = scope.damage!;
  const revisions: number[] = [scope.number];
  for (const [place, record] of scope.records) {
    const bytes = readIfExists(layout.recordFile(record.category, record.key));
    const view = bytes && decodeView(bytes);
    if (!view || view.revision < record.revision) continue;
    scope.records.delete(place); // The view is as new or newer: it stays as it is.
    revisions.push(view.revision);
  }
  syncViews(layout, scope);
  // Frames in the damaged part had numbers, too; these must not be reused.
  const lost = io.lstat(scope.path)!.size - scope.end;
  resetLog({ ...scope, number: revisions.reduce((a, b) => Math.max(a, b)) + lost });
  return { kept: START, aside, message };
}

/** More lines than can be lost: they had numbers, too, which must not be reused. */
const AMPLE = 1_000_000;

function asideName(): string {
  return `damaged-${new Date().toISOString().replace(/[:.]/g, '-')}-${newId('d').slice(-4)}`;
}

function findDamage(layout: Layout, task: string, path: string): CorruptError | null {
  const file = openIfExists(path);
  try {
    if (file) for (const _ of scanForward(file, 0, NO_SUM));
    loadScope(layout, task);
    return null;
  } catch (error) {
    if (error instanceof CorruptError) return error;
    throw error;
  } finally {
    if (file) io.close(file);
  }
}

/** The log up to the damage, and one more line with the records that are newer than that. */
function goodPart(layout: Layout, scope: Scope): Buffer {
  const task = scope.task!;
  const bytes = readIfExists(scope.path) ?? Buffer.alloc(0);
  const at = new Date().toISOString();
  const newer = newerRecords(layout, scope, bytes.subarray(scope.end));
  const number = Math.max(scope.number, ...newer.map(({ revision }) => revision)) + AMPLE;
  const { position, fence, gaps } = scope;
  const begin =
    scope.end > 0
      ? { line: bytes.subarray(0, scope.end), sum: scope.sum }
      : encodeHeader({ id: newId('l'), task, number, position, fence, gaps, at });
  const meta: FrameMeta = {
    at,
    f: fence,
    s: position.seq,
    h: position.hash,
    r: newer.map(({ category, key, text, revision, updated_at }) =>
      text === null ? [category, key, 0] : [category, key, 1, revision, updated_at],
    ),
    ...gapsMember(gaps),
  };
  const texts = newer.flatMap(({ text }) => text ?? []);
  return Buffer.concat([begin.line, encodeFrame(number + 1, begin.sum, meta, texts).line]);
}

/** The newest intact version of each record, after the damage or in its view, if it is newer than before the damage. */
function newerRecords(layout: Layout, scope: Scope, behind: Buffer): FrameRecord[] {
  const newest = new Map<string, FrameRecord>();
  const take = (record: FrameRecord): void => {
    const { category, key, revision } = record;
    const known = newest.get(key) ?? scope.records.get(`${category}/${key}`);
    if (revision > (known?.revision ?? 0)) newest.set(key, record);
  };
  for (const record of recordsBehind(behind))
    if (record.category === 'tasks' && record.key.startsWith(`${scope.task}/`)) take(record);
  for (const key of keysInFiles(layout, 'tasks', layout.taskDir(scope.task!))) {
    const bytes = readIfExists(layout.recordFile('tasks', key));
    const view = bytes && decodeView(bytes);
    if (view) take({ category: 'tasks', key, ...view });
  }
  return [...newest.values()];
}

/** Lines are found by their ends, and each is verified by its sum, given the sum at the end of the previous one. */
function* recordsBehind(bytes: Buffer): Generator<FrameRecord> {
  let start = bytes.indexOf('\n') + 1;
  while (start > 0) {
    const end = bytes.indexOf('\n', start);
    if (end < 0) return;
    const frame = decodeFrame(bytes, start, end, sumAtEnd(bytes, start - 1));
    if (frame) yield* recordsOf(frame);
    start = end + 1;
  }
}
