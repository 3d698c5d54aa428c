/** Commits on their way to the inner store: every text sealed for the place it goes to. */
import { next } from '../chain.ts';
import type { Commit, Position, Receipt, Storage } from '../contract.ts';
import { checkedCommit, type EncodedCommit, encodeCommit, type PreparedRecord } from '../prepare.ts';
import type { Cuts } from './cuts.ts';
import type { DataKey } from './data-key.ts';
import { previousOf } from './data-key.ts';
import { entryText, placeOfEntry, type Stamps } from './journal.ts';
import type { Keyring } from './keyring.ts';
import { nameRightBelow } from './own-records.ts';
import type { Records } from './records.ts';
import type { Removals } from './removals.ts';
import { refuseKeys } from './reserved.ts';

/** What is known of a task while it is claimed here: changes with each commit. */
export interface Held {
  stamps: Stamps;
  end: number;
}

export interface Commits {
  commit(commit: Commit): Promise<Receipt>;
  hold(task: string, held: Held): void;
  /** Unless another claim has taken its place. */
  letGo(task: string, held: Held): void;
  isHeld(task: string): boolean;
  /** After a repair or a removal, what is known is as it is found now. */
  rehold(task: string, find: () => Promise<Held>): Promise<void>;
}

interface Parts {
  readonly inner: Storage;
  readonly keyring: Keyring;
  readonly records: Records;
  readonly cuts: Cuts;
  readonly removals: Removals;
  /** What the last entry says, for whoever has not claimed the task. */
  readonly lastStamps: (task: string) => Promise<Stamps>;
}

export function openCommits({ inner, keyring, records, cuts, removals, lastStamps }: Parts): Commits {
  const held = new Map<string, Held>();
  /** What the newest entry says that was written here without a claim. */
  let latest: { readonly task: string; readonly hash: string; readonly stamps: Stamps } | undefined;

  const stampsAt = async (task: string, { seq, hash }: Position): Promise<Stamps> => {
    if (seq === 0) return {};
    return latest?.task === task && latest.hash === hash ? latest.stamps : lastStamps(task);
  };

  const sealed = (write: PreparedRecord, key: DataKey, seq: number): PreparedRecord => {
    const { category, key: name, text, expect } = write;
    if (text === null) return write;
    return { category, key: name, text: records.seal(key, category, name, seq, text).text, expect };
  };

  const sealEntries = (
    task: string,
    key: DataKey,
    { after, texts }: NonNullable<EncodedCommit['append']>,
    stamps: Stamps,
  ): string[] => {
    let at: Position = after;
    return texts.map((text, i) => {
      const seq = at.seq + 1;
      const stamp = { seq, previous: previousOf(at.hash) };
      const entry = key.sealText(placeOfEntry(keyring.store, task, seq), stamp, entryText(stamps, text)).text;
      if (i < texts.length - 1) at = next(at, entry);
      return entry;
    });
  };

  async function commitTask(task: string, prepared: EncodedCommit): Promise<Receipt> {
    const { fence, append, cut } = prepared;
    const known = fence === undefined ? undefined : held.get(task);
    if (!known) keyring.refresh(task);
    const key = keyring.atHand(task) ?? (await keyring.make(task));
    const end = append
      ? append.after.seq + append.texts.length
      : known && !cut
        ? known.end
        : (await inner.position(task)).seq;
    const before = known?.stamps ?? (append ? await stampsAt(task, append.after) : {});
    const writes = prepared.records.map((write) => sealed(write, key, end));
    const notes = cut ? [await cuts.add(task, key, [cut.from, cut.to], end)] : [];
    const removed = append || end === 0 ? [] : namesOfRemoved(prepared.records);
    if (removed.length > 0) notes.push(await removals.add(task, key, removed, end));
    const stamps = stampsAfter(before, prepared.records, end);
    const receipt = await inner.commit(
      checkedCommit({
        ...{ task, fence, cut, records: [...writes, ...notes] },
        append: append && { after: append.after, texts: sealEntries(task, key, append, stamps) },
      }),
    );
    if (append && !known) latest = { task, hash: receipt.position!.hash, stamps };
    // What else was committed since this began counts too.
    if (known)
      Object.assign(known, {
        stamps: stampsAfter(known.stamps, prepared.records, end),
        end: Math.max(known.end, end),
      });
    return { ...receipt, records: receipt.records.slice(0, writes.length) };
  }

  return {
    async commit(commit) {
      const prepared = encodeCommit(commit);
      for (const { category, key } of prepared.records) refuseKeys(category, key);
      if (prepared.task !== null) return commitTask(prepared.task, prepared);
      const writes = prepared.records.map((write) => sealed(write, keyring.outside, 0));
      return inner.commit(checkedCommit({ ...prepared, records: writes }));
    },
    hold: (task, what) => void held.set(task, what),
    letGo(task, what) {
      if (held.get(task) === what) held.delete(task);
    },
    isHeld: (task) => held.has(task),
    async rehold(task, find) {
      const what = held.get(task);
      if (what) Object.assign(what, await find());
    },
  };
}

/** Of the records right below the task; those deeper down, such as checkpoints, are written once. */
function stampsAfter(before: Stamps, writes: readonly PreparedRecord[], end: number): Stamps {
  const after: Record<string, number> = { ...before };
  for (const { key, text } of writes) {
    const name = nameRightBelow(key);
    if (name === null) continue;
    if (text === null) delete after[name];
    else after[name] = end;
  }
  return after;
}

function namesOfRemoved(writes: readonly PreparedRecord[]): string[] {
  return writes.flatMap(({ key, text }) => (text === null ? (nameRightBelow(key) ?? []) : []));
}
