/**
 * Writes down what a restore decided on before the first file is changed, then carries it out; after a crash the next
 * process finishes it.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { removeTree } from '../../system/files.ts';
import { newId } from '../../system/ids.ts';
import type { FileLocks } from '../editing/file-locks.ts';
import { encodeLayer } from '../snapshot/layer.ts';
import { decodeLayer } from '../snapshot/layer-reader.ts';
import type { Reader } from '../snapshot/reader.ts';
import { joinPath, type TreeEntry } from '../tree/tree.ts';
import { applyRestore, NotBegun, type RestoreItem, type RestoreOutcome } from './apply.ts';
import { leadsOut } from './links.ts';
import { withSafeBits } from './safe-bits.ts';

export interface CarryServices {
  readonly root: string;
  /** Where it is: what was started there is finished there. */
  readonly place: string;
  readonly stateDir: string;
  readonly storage: Storage;
  readonly reader: Reader;
  readonly fileLocks: () => Promise<FileLocks>;
}

const intentSchema = z.strictObject({
  version: z.literal(1),
  root: z.string(),
  /** Layers with what was there and what is to be there, in base 64. */
  expected: z.base64(),
  target: z.base64(),
  /** Ids of snapshots and blobs with what is to be there: clean-up keeps them. */
  needs: z.array(z.string()),
});
const CATEGORY = 'restores';

/** Written down before it starts, so that the next process can finish it after a crash. */
export async function carryOut(
  services: CarryServices,
  items: readonly RestoreItem[],
  snapshots: readonly string[],
): Promise<RestoreOutcome> {
  const { storage, root } = services;
  const layerOf = (pick: 'expected' | 'target') =>
    Buffer.from(encodeLayer(items.map((item) => ({ path: item.path, after: item[pick] })))).toString(
      'base64',
    );
  const contents = items.flatMap(({ target }) => (target?.kind === 'file' ? [`file/${target.hash}`] : []));
  const id = newId('r');
  const key = `${services.place}/${id}`;
  await storage.save(CATEGORY, key, {
    version: 1,
    root,
    expected: layerOf('expected'),
    target: layerOf('target'),
    needs: [...snapshots, ...contents],
  });
  try {
    const applied = await apply(services, id, items);
    await storage.delete(CATEGORY, key);
    return applied;
  } catch (error) {
    if (!(error instanceof NotBegun)) throw error;
    await storage.delete(CATEGORY, key);
    removeTree(stageOf(services, id));
    throw error.cause;
  }
}

/** Finishes the restores of a dead process; returns their results. Only while no other restore runs here. */
export async function finishRestores(services: CarryServices): Promise<RestoreOutcome[]> {
  const { storage } = services;
  const { keys } = await storage.page(CATEGORY, { prefix: `${services.place}/` });
  const finished: RestoreOutcome[] = [];
  for (const key of keys) {
    const items = openIntent(key, await storage.load(CATEGORY, key));
    try {
      finished.push(await apply(services, key.slice(services.place.length + 1), items));
      await storage.delete(CATEGORY, key);
    } catch (error) {
      // Missing content may come back: it is tried again next time, and blocks nothing here.
      if (!(error instanceof NotBegun)) throw error;
    }
  }
  return finished;
}

/** The rest of a restore, without entries that must not be written. */
export function openIntent(key: string, stored: unknown): RestoreItem[] {
  const intent = intentSchema.safeParse(stored).data;
  if (!intent) throw cannotFinish(key);
  const before = changesIn(intent.expected);
  return [...changesIn(intent.target)]
    .filter(([path, target]) => target?.kind !== 'symlink' || !leadsOut(path, target.target))
    .map(([path, target]) => {
      const expected = before.get(path) ?? null;
      return { path, expected, target: withSafeBits(expected, target) };
    });
}

function changesIn(base64: string): Map<string, TreeEntry | null> {
  const changes = decodeLayer(Buffer.from(base64, 'base64')).flatMap(({ directory, names, entries }) =>
    names.map((name, index): [string, TreeEntry | null] => [joinPath(directory, name), entries[index]!]),
  );
  return new Map(changes);
}

function cannotFinish(key: string): WorkspaceError {
  return new WorkspaceError(
    'SNAPSHOT_NOT_FOUND',
    phrase`A restore was interrupted, and its record cannot be read.`,
    {
      data: { restore: key },
      hint: phrase`Look at the files, then remove the record ${CATEGORY}/${key} from the store.`,
    },
  );
}

function stageOf({ stateDir }: CarryServices, id: string): string {
  return join(stateDir, `restore-${id}`);
}

async function apply(
  services: CarryServices,
  id: string,
  items: readonly RestoreItem[],
): Promise<RestoreOutcome> {
  const { root, storage, reader } = services;
  const { turn } = await services.fileLocks();
  const sorted = items.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const stage = stageOf(services, id);
  return applyRestore({ root, storage, stage, id, contents: reader.contents, turn }, sorted);
}

/** Whether there is an unfinished restore here. */
export async function isUnfinished(services: CarryServices): Promise<boolean> {
  return (await services.storage.page(CATEGORY, { prefix: `${services.place}/`, limit: 1 })).keys.length > 0;
}
