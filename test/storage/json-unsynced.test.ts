/** Blobs that come with a commit: in the log at once, in a file right after, and in a synced file some time later. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { START } from '../../src/storage/chain.ts';
import type { Position, Storage } from '../../src/storage/contract.ts';
import { encodeFrame } from '../../src/storage/json/lines/frame.ts';
import { NO_SUM } from '../../src/storage/json/lines/log.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { type IoCall, setIoHook } from '../../src/system/io.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const TASK = 't1';

interface Site {
  readonly root: string;
  readonly storage: Storage;
  /** Commits an entry with a blob of this content; returns the id. */
  bring(content: string): Promise<string>;
}

async function openSite(root = tempDir()): Promise<Site> {
  const storage = await openJsonStorage({ root });
  const { fence } = await storage.claim(TASK);
  let after: Position = await storage.position(TASK);
  return {
    root,
    storage,
    async bring(content) {
      const [id] = await storage.promiseBlobs([{ kind: 'file', bytes: Buffer.from(content) }]);
      after = (await storage.commit({ task: TASK, fence, append: { after, entries: [{ id }] } })).position!;
      return id!;
    },
  };
}

const file = (root: string, id: string): string => join(root, 'blobs', id);
const marks = (root: string): string[] => {
  const dir = join(root, 'locks', 'unsynced');
  return existsSync(dir) ? readdirSync(dir) : [];
};
const read = async (storage: Storage, id: string): Promise<string | undefined> =>
  (await storage.getBlob(null, id).then((bytes) => bytes && Buffer.from(bytes).toString())) ?? undefined;

/** The store as its process leaves it when it dies now, without what had not been synced of these files. */
function afterPowerCut(root: string, lost: readonly string[], how: (path: string) => void): string {
  const copy = join(tempDir(), 'copy');
  cpSync(root, copy, { recursive: true });
  for (const id of lost) how(file(copy, id));
  return copy;
}

it('a commit brings them along with one sync, and others find their files at once', async () => {
  const { root, storage, bring } = await openSite();
  await bring('first'); // Makes the log and the mark.
  const synced: string[] = [];
  setIoHook(({ op, path }: IoCall) => {
    if (op === 'fsync' || op === 'fdatasync') synced.push(path);
    return undefined;
  });
  const id = await bring('second');
  setIoHook(undefined);
  expect(synced).toEqual([join(root, 'tasks', TASK, 'journal.log')]);
  expect(readFileSync(file(root, id), 'utf8')).toBe('second');
  const other = await openJsonStorage({ root });
  expect(await read(other, id)).toBe('second');
  await other.close();
  await storage.close();
});

it.each([
  ['lost', (path: string) => rmSync(path)],
  ['torn', (path: string) => truncateSync(path, 3)],
])('files that a power cut has %s are made from the log, by whoever opens the store', async (_, how) => {
  const { root, storage, bring } = await openSite();
  const ids = [await bring('one'), await bring('two'), await bring('three')];
  const copy = afterPowerCut(root, ids, how);
  await storage.close();
  expect(marks(copy)).toHaveLength(1);
  const again = await openJsonStorage({ root: copy });
  expect(await Promise.all(ids.map((id) => read(again, id)))).toEqual(['one', 'two', 'three']);
  expect(marks(copy)).toEqual([]);
  await again.close();
});

it('the end of a claim syncs them and leaves no mark; so does a log that is compacted', async () => {
  const { root, storage, bring } = await openSite();
  await bring('one');
  expect(marks(root)).toHaveLength(1);
  const synced = new Set<string>();
  setIoHook(({ op, path }: IoCall) => {
    if (op === 'fsync') synced.add(path);
    return undefined;
  });
  const id = await bring('two '.repeat(200));
  const { fence } = (await storage.owner(TASK))!;
  await storage.compact(TASK, { fence });
  expect([...synced]).toContain(file(root, id));
  expect(readFileSync(join(root, 'tasks', TASK, 'journal.log'), 'utf8')).not.toContain('"b":');
  const last = await bring('three');
  await storage.close();
  setIoHook(undefined);
  expect([...synced]).toContain(file(root, last));
  expect(marks(root)).toEqual([]);
});

it('what another claim of the task has left is settled before it is worked on', async () => {
  const { root, storage, bring } = await openSite();
  const id = await bring('one');
  const copy = afterPowerCut(root, [], () => {});
  await storage.close();
  const reader = await openJsonStorage({ root: copy });
  writeFileSync(join(copy, 'locks', 'unsynced', `${TASK}.1`), '0000000000000000');
  rmSync(file(copy, id));
  await reader.claim(TASK);
  expect(await read(reader, id)).toBe('one');
  expect(marks(copy)).toEqual([]);
  await reader.close();
});

it('one whose file cannot be made yet is read from memory, and made later', async () => {
  const { root, storage, bring } = await openSite();
  await bring('first');
  setIoHook(({ op, path }: IoCall) =>
    op === 'rename' && path.includes('/blobs/') ? { errno: 'ENOSPC' } : undefined,
  );
  const id = await bring('no room');
  expect(existsSync(file(root, id))).toBe(false);
  expect(await read(storage, id)).toBe('no room');
  setIoHook(undefined);
  await storage.flush();
  expect(readFileSync(file(root, id), 'utf8')).toBe('no room');
  await storage.close();
});

it('large ones, and those of a log of an earlier version, are stored before the commit', async () => {
  const { root, storage, bring } = await openSite();
  const large = await bring('x'.repeat(70_000));
  expect(marks(root)).toEqual([]);
  expect(existsSync(file(root, large))).toBe(true);
  await storage.close();

  const identity = JSON.stringify({ log: 'vibe-engine', version: 1, id: 'l01earlier', task: TASK });
  const meta = { at: new Date().toISOString(), f: 0, s: START.seq, h: START.hash };
  rmSync(join(root, 'tasks', TASK, 'views.index'), { force: true });
  writeFileSync(join(root, 'tasks', TASK, 'journal.log'), encodeFrame(1, NO_SUM, meta, [identity]).line);
  const earlier = await openSite(root);
  const id = await earlier.bring('small');
  expect(marks(root)).toEqual([]);
  expect(existsSync(file(root, id))).toBe(true);
  await earlier.storage.close();
});

it('their bytes leave a log of which they are a large part', async () => {
  const { root, storage, bring } = await openSite();
  const ids: string[] = [];
  for (let n = 0; n < 24; n++) ids.push(await bring(`${n} `.padEnd(20_000, 'x')));
  await storage.position(TASK);
  await expect
    .poll(() => readFileSync(join(root, 'tasks', TASK, 'journal.log')).length)
    .toBeLessThan(400_000);
  const seen: unknown[] = [];
  for await (const { data } of storage.read(TASK)) seen.push(data);
  expect(seen).toEqual(ids.map((id) => ({ id })));
  const copy = afterPowerCut(root, [], () => {});
  const again = await openJsonStorage({ root: copy });
  for (const [n, id] of ids.entries()) expect((await read(again, id))?.slice(0, 2).trim()).toBe(String(n));
  await again.close();
  await storage.close();
});
