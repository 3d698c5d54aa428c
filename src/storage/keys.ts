/** What may name a record, a task or a blob: one rule for every back end, checked before anything is touched. */
import { isUint8Array } from 'node:util/types';
import { InvalidInputError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { NewBlob } from './contract.ts';

const CATEGORY = /^[a-z][a-z0-9_-]{0,63}$/;
/** Directories of the JSON store, or of the project next to it, that are not categories. */
const RESERVED = new Set(['blobs', 'conflicts', 'context', 'locks', 'trash']);
const TASK = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const KIND = /^[a-z][a-z0-9_]{0,31}$/;
const BLOB = /^[a-z][a-z0-9_]{0,31}\/[0-9a-f]{64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/;
/** The form of nearly every key: if it is no longer than one segment may be, nothing in it can be refused. */
const PLAIN_KEY = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const MAX_KEY = 400;
const MAX_SEGMENT = 180;

/** Whether a stored record may have this name: the rules for writing also hold for reading. */
export function isRecordName(category: unknown, key: unknown): boolean {
  return isCategory(category) && typeof key === 'string' && keyProblem(key) === undefined;
}

export function isCategory(category: unknown): category is string {
  if (category === lastCategory) return true;
  if (typeof category !== 'string' || !CATEGORY.test(category) || RESERVED.has(category)) return false;
  lastCategory = category;
  return true;
}

/** Those that were valid last: a task writes under the same names again and again, and a pattern is slow right after a sync. */
let lastCategory = 'tasks';
let lastKey: string | undefined;
let lastTask: string | undefined;

export function assertCategory(category: string): void {
  if (!isCategory(category)) {
    refuse(
      'INVALID_KEY',
      'category',
      category,
      phrase`lower-case letters, digits, "-" and "_", at most 64, beginning with a letter`,
    );
  }
}

/** A key is segments between "/"; each is NFC text without control characters or backslash, not "." or "..". */
export function assertKey(key: string): void {
  const why = keyProblem(key);
  if (why) refuse('INVALID_KEY', 'key', key, why);
}

export function isTaskId(task: unknown): boolean {
  if (typeof task !== 'string') return false;
  if (task === lastTask) return true;
  if (!TASK.test(task)) return false;
  lastTask = task;
  return true;
}

export function assertTask(task: string): void {
  if (!isTaskId(task)) {
    refuse(
      'INVALID_ID',
      phrase`task id`,
      task,
      phrase`letters, digits, "-" and "_", at most 100, beginning with a letter or digit`,
    );
  }
}

export function assertKind(kind: string): void {
  if (typeof kind !== 'string' || !KIND.test(kind)) {
    refuse(
      'INVALID_ID',
      phrase`blob kind`,
      kind,
      phrase`lower-case letters, digits and "_", at most 32, beginning with a letter`,
    );
  }
}

/** What `putBlobs` is given: an array of kinds and bytes. */
export function assertBlobs(blobs: readonly NewBlob[]): void {
  if (!Array.isArray(blobs)) refuseBlob('blobs', blobs, phrase`an array of { kind, bytes }`);
  for (const blob of blobs as readonly NewBlob[]) {
    if (typeof blob !== 'object' || blob === null)
      refuseBlob('blob', blob, phrase`an object { kind, bytes }`);
    assertKind(blob.kind);
    if (!isUint8Array(blob.bytes)) refuseBlob('bytes', blob.bytes, phrase`a Uint8Array, such as a Buffer`);
  }
}

function refuseBlob(what: string, value: unknown, expected: string): never {
  throw new InvalidInputError('USAGE', phrase`${what} is not ${expected}.`, {
    data: { given: value === null ? 'null' : typeof value, expected },
    hint: phrase`Give ${expected}; text as new TextEncoder().encode(text).`,
  });
}

export function isBlobId(id: unknown): id is string {
  return typeof id === 'string' && BLOB.test(id);
}

export function assertBlobId(id: string): void {
  if (!isBlobId(id)) refuse('INVALID_ID', phrase`blob id`, id, '"{kind}/{sha256}"');
}

/** The task a record belongs to: the first segment of its key in `tasks`, none elsewhere. */
export function taskOfRecord(category: string, key: string): string | null {
  if (category !== 'tasks') return null;
  const slash = key.indexOf('/');
  if (slash < 0)
    throw new InvalidInputError(
      'INVALID_ID',
      phrase`The key ${JSON.stringify(key)} does not begin with a task.`,
      {
        data: { category, key },
        hint: phrase`In the category "tasks", a key is a task's id, "/" and a name, such as "t1/state".`,
      },
    );
  const task = key.slice(0, slash);
  assertTask(task);
  return task;
}

function keyProblem(key: string): string | undefined {
  if (typeof key === 'string' && key === lastKey) return undefined;
  if (typeof key === 'string' && key.length <= MAX_SEGMENT && PLAIN_KEY.test(key)) {
    lastKey = key;
    return undefined;
  }
  if (typeof key !== 'string' || key === '') return phrase`text that is not empty`;
  if (!key.isWellFormed()) return phrase`well-formed Unicode (no lone surrogates)`;
  if (key.normalize('NFC') !== key) return phrase`Unicode in NFC form (key.normalize("NFC"))`;
  if (FORBIDDEN.test(key)) return phrase`text without control characters or backslashes`;
  if (Buffer.byteLength(key) > MAX_KEY) return phrase`at most ${MAX_KEY} bytes in UTF-8`;
  for (const segment of key.split('/')) {
    if (segment === '') return phrase`no empty part: no "/" at the start, the end or twice in a row`;
    if (segment === '.' || segment === '..') return phrase`no "." or ".." between slashes`;
    // A percent sign takes three bytes in the file names of the JSON store.
    if (Buffer.byteLength(segment.replaceAll('%', '%25')) > MAX_SEGMENT)
      return phrase`parts between slashes of at most ${MAX_SEGMENT} bytes in UTF-8`;
  }
  return undefined;
}

function refuse(code: 'INVALID_KEY' | 'INVALID_ID', what: string, value: unknown, expected: string): never {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(typeof value);
  throw new InvalidInputError(code, phrase`Not a ${what}: ${shown}.`, {
    data: { [what.replace(' ', '_')]: value, expected },
    hint: phrase`Use ${expected}.`,
  });
}
