/** What conflicts leave behind: copies with both versions in them, and how lines were resolved once. */
import { join } from 'node:path';
import { StaleWriteError } from '../../errors.ts';
import { encode } from '../../storage/serialize.ts';
import { removeTree } from '../../system/files.ts';
import * as io from '../../system/io.ts';
import { rootsHere } from '../../workspace/git/noted.ts';
import { RESOLUTIONS } from '../../workspace/resolve/recorded.ts';
import { conflictsIn } from '../../workspace/restore/conflict-copies.ts';
import type { Leftovers } from './leftovers.ts';
import type { Sweep } from './sweep.ts';

const DAY = 24 * 60 * 60 * 1000;

export async function removeOldConflicts(sweep: Sweep): Promise<Leftovers> {
  const [copies, resolutions] = [await removeCopies(sweep), await removeResolutions(sweep)];
  return { records: copies.records + resolutions.records, bytes: copies.bytes + resolutions.bytes };
}

/** In the workspaces of this machine. */
async function removeCopies({ storage, settings, now, dry, breathe }: Sweep): Promise<Leftovers> {
  const limit = now.getTime() - settings.conflict_copies_days * DAY;
  let [records, bytes] = [0, 0];
  for (const root of await rootsHere(storage)) {
    const directory = conflictsIn(root);
    if (!io.lstat(directory)?.isDirectory()) continue;
    for (const name of io.readNames(directory)) {
      const copy = join(directory, name);
      if ((io.lstat(copy)?.mtimeMs ?? limit) >= limit) continue;
      records++;
      bytes += bytesIn(copy);
      if (!dry) removeTree(copy);
      await breathe();
    }
  }
  return { records, bytes };
}

function bytesIn(path: string): number {
  const found = io.lstat(path);
  if (!found?.isDirectory()) return found?.size ?? 0;
  return io.readNames(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

/** The oldest ones, beyond this many. */
async function removeResolutions({ storage, settings, dry, breathe }: Sweep): Promise<Leftovers> {
  const keys = await storage.list(RESOLUTIONS);
  const excess = keys.length - settings.max_resolutions;
  if (excess <= 0) return { records: 0, bytes: 0 };
  const found = [];
  for (const key of keys) {
    const record = await storage.get(RESOLUTIONS, key);
    if (record) found.push({ key, ...record });
    await breathe();
  }
  const oldest = found.sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1)).slice(0, excess);
  const bytes = oldest.reduce((sum, { data }) => sum + Buffer.byteLength(encode(data)), 0);
  const records = oldest.map(
    ({ key, revision }) => ({ category: RESOLUTIONS, key, remove: true, expect: revision }) as const,
  );
  try {
    if (!dry) await storage.commit({ task: null, records });
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    return { records: 0, bytes: 0 }; // One was recorded again: the next clean-up handles it.
  }
  return { records: records.length, bytes };
}
