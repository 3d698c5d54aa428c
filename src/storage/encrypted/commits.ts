/** Encrypts commits for the inner store: every text is tied to its place. */
import { StaleWriteError } from '../../errors.ts';
import type {
  Backend,
  EntryText,
  PreparedAppend,
  PreparedCommit,
  PreparedRecord,
  Receipt,
} from '../backend.ts';
import { next, samePosition } from '../chain.ts';
import { sealOutside } from './blobs.ts';
import type { Cuts } from './cuts.ts';
import type { DataKey } from './data-key.ts';
import { previousOf } from './data-key.ts';
import type { End, Ends } from './ends.ts';
import { entryText, itemOfEntry, type Stamps } from './journal.ts';
import type { Keyring } from './keyring.ts';
import { nameRightBelow } from './own-records.ts';
import type { Records } from './records.ts';
import type { Removals } from './removals.ts';
import { refuseKeys } from './reserved.ts';

/** What is known of a task while it is claimed here: changes with each commit. */
export interface Held {
  stamps: Stamps;
  end: End;
}

interface Commits {
  commit(commit: PreparedCommit): Promise<Receipt>;
  hold(task: string, held: Held): void;
  /** Unless another claim has taken its place. */
  letGo(task: string, held: Held): void;
  isHeld(task: string): boolean;
  /** After a repair or a removal, what is known is as it is found now. */
  rehold(task: string, find: () => Promise<Held>): Promise<void>;
}

interface Parts {
  readonly inner: Backend;
  readonly keyring: Keyring;
  readonly records: Records;
  readonly cuts: Cuts;
  readonly removals: Removals;
  readonly ends: Ends;
  /** The stamps of the last entry, for a task that is not claimed here. */
  readonly lastStamps: (task: string) => Promise<Stamps>;
}

export function openCommits({ inner, keyring, records, cuts, removals, ends, lastStamps }: Parts): Commits {
  const held = new Map<string, Held>();
  /** Where the newest entry that was written here without a claim left its journal, and what it says. */
  let latest: (Held & { readonly task: string }) | undefined;

  const found = async (task: string, append: PreparedCommit['append']): Promise<Held> => {
    if (append && latest?.task === task && samePosition(latest.end.outer, append.after)) return latest;
    const end = await ends.find(task);
    return { end, stamps: append && end.stored.seq > 0 ? await lastStamps(task) : {} };
  };

  const sealed = (write: PreparedRecord, key: DataKey, seq: number): PreparedRecord => {
    const { category, key: name, text, expect } = write;
    if (text === null) return write;
    return { category, key: name, text: records.seal(key, category, name, seq, text), expect };
  };

  const sealedBlobs = ({ blobs }: PreparedCommit): Pick<PreparedCommit, 'blobs'> =>
    blobs ? { blobs: sealOutside(keyring, blobs) } : {};

  /** An append after any other position is refused, with the inner store's error. */
  const sealAppend = (
    task: string,
    key: DataKey,
    { outer, stored }: End,
    { after, entries }: PreparedAppend,
    stamps: Stamps,
  ): PreparedAppend => {
    const start = samePosition(after, outer) ? stored : after;
    let end = start;
    const sealedEntries = entries.map((entry): EntryText => {
      const stamp = { seq: entry.seq, previous: previousOf(end.hash) };
      const item = itemOfEntry(keyring.store, task, entry.seq);
      const text = key.sealText(item, stamp, entryText(entry.hash, stamps, entry.text));
      end = next(end, text);
      return { seq: end.seq, hash: end.hash, text };
    });
    return { after: start, end, entries: sealedEntries };
  };

  async function commitTask(task: string, prepared: PreparedCommit): Promise<Receipt> {
    const { fence, append, cut } = prepared;
    const known = fence === undefined ? undefined : held.get(task);
    if (!known) keyring.refresh(task);
    const key = keyring.atHand(task) ?? (await keyring.make(task));
    const before = known ?? (await found(task, append));
    const start = before.end;
    const seq = append ? append.end.seq : start.stored.seq;
    const writes = prepared.records.map((write) => sealed(write, key, seq));
    const notes = cut ? [await noteCut(task, key, cut, start)] : [];
    const removed = append || seq === 0 ? [] : namesOfRemoved(prepared.records);
    if (removed.length > 0) notes.push(await removals.add(task, key, removed, seq));
    const vouched = before.stamps;
    const stamps = stampsAfter(vouched, prepared.records, seq);
    // Without a claim, what has no entry is written where the journal ends now, or not at all.
    const nothing = known || cut ? undefined : { after: start.stored, end: start.stored, entries: [] };
    const receipt = await inner.commit({
      task,
      fence,
      cut,
      ...sealedBlobs(prepared),
      records: [...writes, ...notes],
      append: append ? sealAppend(task, key, start, append, stamps) : nothing,
    });
    const outer = append?.end ?? start.outer;
    const end = { outer, stored: receipt.position! };
    if (append && !known) latest = { task, end, stamps };
    if (known) {
      // Commits made since this one started count, too.
      const isAlone = known.stamps === vouched;
      known.stamps = isAlone ? stamps : stampsAfter(known.stamps, prepared.records, seq);
      if (outer.seq > known.end.outer.seq) known.end = end;
    }
    return { position: outer, records: receipt.records.slice(0, writes.length) };
  }

  const noteCut = async (task: string, key: DataKey, { from, to }: Cut, { outer, stored }: End) => {
    const last = Math.min(to, outer.seq);
    const at = last === outer.seq ? outer : await ends.outerOf(task, { seq: last, hash: stored.hash });
    return cuts.add(task, key, [from, last, at.hash], outer.seq);
  };

  /**
   * A record written without a claim and without an entry notes where the journal ended. It is written at that position or
   * not at all, because an entry by another process in between would vouch for something newer.
   */
  async function commitThere(task: string, prepared: PreparedCommit): Promise<Receipt> {
    for (;;) {
      const before = await inner.position(task);
      try {
        return await commitTask(task, prepared);
      } catch (error) {
        const isStale = error instanceof StaleWriteError;
        if (!isStale || samePosition(before, await inner.position(task))) throw error;
      }
    }
  }

  return {
    // Not async: that would take more turns than the rest of it needs.
    commit(prepared) {
      try {
        for (const { category, key } of prepared.records) refuseKeys(category, key);
        const { task, fence, append } = prepared;
        if (task !== null)
          return fence === undefined && !append ? commitThere(task, prepared) : commitTask(task, prepared);
        const writes = prepared.records.map((write) => sealed(write, keyring.outside, 0));
        return inner.commit({ ...prepared, records: writes, ...sealedBlobs(prepared) });
      } catch (error) {
        return Promise.reject(error);
      }
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

type Cut = NonNullable<PreparedCommit['cut']>;

/** Of the records right below the task; those deeper down, such as checkpoints, are written once. */
function stampsAfter(before: Stamps, writes: readonly PreparedRecord[], end: number): Stamps {
  if (writes.length === 0) return before;
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
