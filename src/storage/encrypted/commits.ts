/** Commits on their way to the inner store: every text sealed for the place it goes to. */
import { next } from '../chain.ts';
import type { Commit, Position, Receipt, RecordWrite, Storage } from '../contract.ts';
import { type EncodedCommit, encodeCommit, type PreparedRecord } from '../prepare.ts';
import type { Encoded } from '../serialize.ts';
import type { Cuts } from './cuts.ts';
import type { DataKey } from './data-key.ts';
import { previousOf } from './data-key.ts';
import { entryText, placeOfEntry, type Stamps } from './journal.ts';
import type { Keyring } from './keyring.ts';
import type { Records } from './records.ts';
import { refuseKeys } from './reserved.ts';

/** What is known of a task while it is claimed here. */
export interface Held {
  readonly stamps: Stamps;
  readonly end: number;
}

export interface Commits {
  commit(commit: Commit): Promise<Receipt>;
  hold(task: string, held: Held): void;
  letGo(task: string): void;
}

export function openCommits(inner: Storage, keyring: Keyring, records: Records, cuts: Cuts): Commits {
  const held = new Map<string, Held>();

  const sealOutside = (writes: readonly PreparedRecord[]): RecordWrite[] =>
    writes.map((write) => sealed(write, keyring.outside, 0));
  const sealed = (write: PreparedRecord, key: DataKey, seq: number): RecordWrite => {
    const { category, key: name, text, expect } = write;
    const place = { category, key: name, ...(expect === undefined ? {} : { expect }) };
    if (text === null) return { ...place, remove: true };
    return { ...place, data: records.seal(key, category, name, seq, text) };
  };

  const sealEntries = (
    task: string,
    key: DataKey,
    { after, texts }: NonNullable<EncodedCommit['append']>,
    stamps: Stamps,
  ): Encoded[] => {
    let at: Position = after;
    return texts.map((text, i) => {
      const seq = at.seq + 1;
      const stamp = { seq, previous: previousOf(at.hash) };
      const entry = key.sealText(placeOfEntry(keyring.store, task, seq), stamp, entryText(stamps, text));
      if (i < texts.length - 1) at = next(at, entry.text);
      return entry;
    });
  };

  async function commitTask(task: string, prepared: EncodedCommit): Promise<Receipt> {
    const { fence, append, cut } = prepared;
    const known = fence === undefined ? undefined : held.get(task);
    if (!known) keyring.refresh(task);
    const key = await keyring.make(task);
    const end = append
      ? append.after.seq + append.texts.length
      : (known?.end ?? (await inner.position(task)).seq);
    const stamps = known && stampsAfter(known.stamps, task, prepared.records, end);
    const writes = prepared.records.map((write) => sealed(write, key, end));
    const receipt = await inner.commit({
      task,
      ...(fence === undefined ? {} : { fence }),
      records: cut ? [...writes, await cuts.add(task, key, [cut.from, cut.to], end)] : writes,
      ...(append && {
        append: { after: append.after, entries: sealEntries(task, key, append, stamps ?? {}) },
      }),
      ...(cut && { cut }),
    });
    if (stamps && held.get(task) === known) held.set(task, { stamps, end });
    return cut ? { ...receipt, records: receipt.records.slice(0, -1) } : receipt;
  }

  return {
    async commit(commit) {
      const prepared = encodeCommit(commit);
      for (const { category, key } of prepared.records) refuseKeys(category, key);
      if (prepared.task !== null) return commitTask(prepared.task, prepared);
      return inner.commit({ task: null, records: sealOutside(prepared.records) });
    },
    hold: (task, what) => void held.set(task, what),
    letGo: (task) => void held.delete(task),
  };
}

/** Of the records right below the task; those deeper down, such as checkpoints, are written once. */
function stampsAfter(before: Stamps, task: string, writes: readonly PreparedRecord[], end: number): Stamps {
  const after: Record<string, number> = { ...before };
  for (const { key, text } of writes) {
    const name = key.slice(task.length + 1);
    if (name.includes('/')) continue;
    if (text === null) delete after[name];
    else after[name] = end;
  }
  return after;
}
