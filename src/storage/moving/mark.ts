/**
 * What a store says of itself while everything in it is moved into another one, and after that. The mark lies in the store
 * that is left, below any encryption; the note lies in the one that takes its place, until the other is empty.
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
  /** Where everything goes, for people. */
  to: z.string(),
  since: z.iso.datetime(),
});
export type Mark = z.infer<typeof markSchema>;

const noteSchema = z.strictObject({
  id: z.string(),
  direction,
  /** The setting that names the store that is left: `persistence.path`, or `schema` on a server. */
  from: z.strictObject({ name: z.enum(['path', 'schema']), value: z.string() }),
});
export type Note = z.infer<typeof noteSchema>;

export const MARK = { category: KEYS, key: MOVING } as const;
export const NOTE = { category: KEYS, key: MOVED_FROM } as const;

/** The one task that is never made: whoever owns it is at work on the move. */
export const MOVER = 'vibe-engine-moves-this-store';

/** Null where nothing is moved. */
export function readMark(store: Pick<Storage, 'get'>): Promise<Mark | null> {
  return read(store, MARK, markSchema);
}

/** Null where what was stored before is gone from there. */
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

/** What whoever wants to write here is told. */
export function refusal({ direction, state, to, since }: Mark): StoreError {
  const data = { direction, to, since };
  if (state === 'moved')
    return new StoreError('STORE_MOVED', phrase`Everything that was stored here was moved to ${to}.`, {
      data,
      hint: phrase`Read the settings again: restart whatever has this store open, and set no other place in variables. Nothing was written.`,
    });
  // The mark is not sealed: nobody is to take its word for wanting everything in the open.
  const doubt = phrase`If nobody asked for that, do not: it would put everything in the open.`;
  const finish = phrase`Wait until that is done. If it was cut off, finish it: vibe-engine keys ${direction}.`;
  const nothing = phrase`Nothing was written.`;
  return new StoreError('STORE_MOVING', phrase`What is stored here is being moved to ${to}.`, {
    data,
    hint: [finish, ...(direction === 'decrypt' ? [doubt] : []), nothing].join(' '),
  });
}
