/** A complete back end in memory, written from the public names alone. */
import {
  type Backend,
  type BlobInfo,
  type Claim,
  CorruptError,
  type EntryText,
  type Listing,
  nextPosition,
  type Owner,
  type Position,
  pageOf,
  refusalOf,
  START,
  type StoredText,
  strangerRefusal,
  type VibeError,
} from '../../src/index.ts';

/** What is stored: one that several open at once see each other's work in. */
export class Memory {
  readonly records = new Map<string, Summed>();
  readonly journals = new Map<string, Journal>();
  readonly blobs = new Map<string, { bytes: Uint8Array; created_at: string }>();
  readonly owners = new Map<string, Owner>();
  /** Revisions and fences only grow, whatever is removed. */
  last = 0;
}

interface Journal {
  end: Position;
  entries: Entry[];
}

type Entry = EntryText & { cut?: boolean };

/** A record carries the hash of its text. */
type Summed = StoredText & { readonly sum: string };

const sumOf = (text: string): string => nextPosition(START, text).hash;

export function memoryBackend(memory: Memory): Backend {
  const { records, journals, blobs, owners } = memory;
  const mine = new Map<string, number>();
  const journalOf = (task: string): Journal => journals.get(task) ?? { end: START, entries: [] };
  const ownerOf = (task: string): Owner | null => owners.get(task) ?? null;
  const now = () => new Date().toISOString();
  const blobKey = (task: string | null, id: string) => `${task ?? ''}:${id}`;
  const keysOf = (category: string): string[] =>
    [...records.keys()].flatMap((place) =>
      place.startsWith(`${category}/`) ? place.slice(category.length + 1) : [],
    );
  const names = (list: Listing): string[] => {
    if (typeof list === 'object') return keysOf(list.category);
    const categories = [...records.keys()].map((place) => place.slice(0, place.indexOf('/')));
    if (list === 'categories') return [...new Set(categories)].filter((name) => name !== 'tasks');
    return [
      ...new Set([...journals.keys(), ...keysOf('tasks').map((key) => key.slice(0, key.indexOf('/')))]),
    ];
  };
  const refuse = (error: VibeError | null): void => {
    if (error) throw error;
  };
  const release = (task: string, fence: number): void => {
    if (mine.get(task) === fence && mine.delete(task)) owners.delete(task);
  };

  return {
    type: 'memory',
    shared: false,

    async commit(commit) {
      const { task, append, cut } = commit;
      const journal = journalOf(task ?? '');
      const revisionOf = (category: string, key: string) => records.get(`${category}/${key}`)?.revision ?? 0;
      refuse(refusalOf(commit, { owner: ownerOf(task ?? ''), position: journal.end, revisionOf }));
      const written = commit.records.map(({ category, key, text }) => {
        const location = `${category}/${key}`;
        const existed = records.delete(location);
        if (text === null) return { revision: 0, location, existed };
        const revision = ++memory.last;
        records.set(location, { text, revision, updated_at: now(), sum: sumOf(text) });
        return { revision, location, existed };
      });
      if (append && append.entries.length > 0) {
        const entries = [...journal.entries, ...append.entries.map((entry) => ({ ...entry }))];
        journals.set(task!, { end: append.end, entries });
      }
      if (cut)
        for (const entry of journal.entries) entry.cut ||= entry.seq >= cut.from && entry.seq <= cut.to;
      return { position: task === null ? null : (append?.end ?? journal.end), records: written };
    },
    async get(category, key) {
      const found = records.get(`${category}/${key}`);
      if (found && sumOf(found.text) !== found.sum) throw damaged(`${category}/${key}`);
      return found ?? null;
    },
    page: async (list, query) => pageOf(names(list), query),
    position: async (task) => journalOf(task).end,
    async *read(task, { from = 1, to = Number.MAX_SAFE_INTEGER, reverse, limit }) {
      const { entries } = journalOf(task);
      const asked = entries.filter(({ seq, cut }) => !cut && seq >= from && seq <= to);
      const found = (reverse ? asked.reverse() : asked).slice(0, limit);
      const bad = found.findIndex((entry) => !follows(entries, entry));
      yield bad < 0 ? found : found.slice(0, bad);
      if (bad >= 0) throw damaged(`entry ${found[bad]!.seq} of ${task}`);
    },

    async putBlobs(task, added) {
      for (const { id, bytes } of added)
        blobs.set(blobKey(task, id), { bytes: Uint8Array.from(bytes), created_at: now() });
    },
    getBlob: async (task, id) => blobs.get(blobKey(task, id))?.bytes ?? null,
    async *listBlobs(task): AsyncGenerator<BlobInfo> {
      const own = blobKey(task, '');
      for (const key of [...blobs.keys()].filter((key) => key.startsWith(own)).sort()) {
        const { bytes, created_at } = blobs.get(key)!;
        yield { id: key.slice(own.length), size: bytes.length, created_at };
      }
    },
    async deleteBlobs(task, ids, { stored_before }) {
      const isOld = (id: string) =>
        stored_before === undefined || (blobs.get(blobKey(task, id))?.created_at ?? '') < stored_before;
      return ids.filter((id) => isOld(id) && blobs.delete(blobKey(task, id))).length;
    },

    async claim(task): Promise<Claim> {
      refuse(strangerRefusal(task, undefined, ownerOf(task)));
      const fence = ++memory.last;
      owners.set(task, { fence, holder: `process ${process.pid}`, since: now() });
      mine.set(task, fence);
      const lost = new AbortController().signal; // Nobody can take it from a process that is alive.
      const live = () => mine.get(task) === fence;
      return { task, fence, lost, live, release: async () => release(task, fence) };
    },
    owner: async (task) => ownerOf(task),
    async removeTask(task, fence) {
      refuse(strangerRefusal(task, fence, ownerOf(task)));
      const gone = keysOf('tasks').filter((key) => key.startsWith(`${task}/`));
      for (const key of gone) records.delete(`tasks/${key}`);
      const own = [...blobs.keys()].filter((key) => key.startsWith(blobKey(task, '')));
      for (const key of own) blobs.delete(key);
      return journals.delete(task) || gone.length + own.length > 0;
    },
    async compact(task, fence) {
      if (task === null) {
        const kept = new Set(['', ...names('tasks'), ...owners.keys()]);
        for (const key of blobs.keys()) if (!kept.has(key.slice(0, key.indexOf(':')))) blobs.delete(key);
        return 0;
      }
      refuse(strangerRefusal(task, fence, ownerOf(task)));
      const { cut = [], kept = [] } = Object.groupBy(journalOf(task).entries, (entry) =>
        entry.cut ? 'cut' : 'kept',
      );
      if (cut.length > 0) journals.set(task, { end: journalOf(task).end, entries: kept });
      return cut.reduce((bytes, { text }) => bytes + text.length, 0);
    },
    async repair(task, fence) {
      if (task === null) return null;
      refuse(strangerRefusal(task, fence, ownerOf(task)));
      const { entries } = journalOf(task);
      const bad = entries.findIndex((entry) => !follows(entries, entry));
      if (bad < 0) return null;
      const { seq, hash } = entries[bad - 1] ?? START;
      journals.set(task, { end: { seq, hash }, entries: entries.slice(0, bad) });
      return {
        kept: { seq, hash },
        aside: 'nowhere',
        message: damaged(`entry ${seq + 1} of ${task}`).message,
      };
    },
    async close() {
      for (const [task, fence] of mine) release(task, fence);
    },
  };
}

/** Where the entry before it is gone, nothing tells. */
function follows(entries: readonly Entry[], { seq, hash, text }: Entry): boolean {
  const before = seq === 1 ? START : entries.find((entry) => entry.seq === seq - 1);
  return before === undefined || nextPosition(before, text).hash === hash;
}

function damaged(what: string): CorruptError {
  return new CorruptError(`What is stored as ${what} is not what was written.`, {
    data: { what },
    hint: 'Repair the task, or write the record again.',
  });
}
