/**
 * What a store records while everything in it is being moved to another one, and afterwards. The mark is in the old store,
 * below any encryption; the note is in the new store, until the old one is empty.
 */
import * as z from 'zod';
import { CorruptError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../contract.ts';
import { KEYS, MOVED_FROM, MOVING } from '../encrypted/names.ts';

const direction = z.enum(['encrypt', 'decrypt']);
export type Direction = z.infer<typeof direction>;

const markSchema = z.strictObject({
  /** Of this move: the note in the other store has the same. */
  id: z.string(),
  direction,
  state: z.enum(['moving', 'moved']),
  /** Where everything goes, as readable text. */
  to: z.string(),
  since: z.iso.datetime(),
});
export type Mark = z.infer<typeof markSchema>;

const noteSchema = z.strictObject({
  id: z.string(),
  direction,
  /** The setting that names the old store: `persistence.path`, or `schema` on a server. */
  from: z.strictObject({ name: z.enum(['path', 'schema']), value: z.string() }),
});
export type Note = z.infer<typeof noteSchema>;

export const MARK = { category: KEYS, key: MOVING } as const;
export const NOTE = { category: KEYS, key: MOVED_FROM } as const;

/** A task id that is never used: its owner is the process that does the move. */
export const MOVER = 'vibe-engine-moves-this-store';

/** Null if nothing is being moved. */
export function readMark(store: Pick<Storage, 'get'>): Promise<Mark | null> {
  return read(store, MARK, markSchema);
}

/** Null once the old store is empty. */
export function readNote(store: Pick<Storage, 'get'>): Promise<Note | null> {
  return read(store, NOTE, noteSchema);
}

async function read<T>(
  store: Pick<Storage, 'get'>,
  { category, key }: typeof MARK | typeof NOTE,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const record = await store.get(category, key);
  if (!record) return null;
  const parsed = schema.safeParse(record.data);
  if (parsed.success) return parsed.data;
  throw new CorruptError(phrase`The record ${category}/${key} is not what the keys commands write.`, {
    data: { category, key },
    hint: phrase`Restore it from a backup, or delete it if nothing of this store was ever moved.`,
  });
}

/** The error for writes to the old store. */
export function refusal({ direction, state, to, since }: Mark): StoreError {
  const data = { direction, to, since };
  if (state === 'moved')
    return new StoreError('STORE_MOVED', phrase`Everything stored here was moved to ${to}.`, {
      data,
      hint: phrase`Read the settings again: restart every process that has this store open, and set no other path in environment variables. Nothing was written.`,
    });
  // The mark is not encrypted, so anyone could have written it: do not decrypt everything just because it says so.
  const doubt = phrase`If nobody asked for that, do not: it would leave everything unencrypted.`;
  const finish = phrase`Wait until that is done. If it was interrupted, finish it: vibe-engine keys ${direction}.`;
  const nothing = phrase`Nothing was written.`;
  return new StoreError('STORE_MOVING', phrase`What is stored here is being moved to ${to}.`, {
    data,
    hint: [finish, ...(direction === 'decrypt' ? [doubt] : []), nothing].join(' '),
  });
}
