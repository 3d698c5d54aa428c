/**
 * Makes sure that the store has an intact copy of what a restore overwrites: its blob may be damaged while the file is not.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Storage } from '../../storage/contract.ts';
import { readFileIn } from '../editing/put-file.ts';
import type { Reader } from '../snapshot/reader.ts';
import type { FileEntry } from '../tree/tree.ts';
import type { RestoreItem } from './apply.ts';
import { isMissing } from './do-without.ts';

interface Overwritten {
  readonly path: string;
  readonly entry: FileEntry;
}

export async function keepCurrent(
  services: { readonly root: string; readonly storage: Storage; readonly reader: Reader },
  items: readonly RestoreItem[],
): Promise<void> {
  const { root } = services;
  // Git keeps its own objects.
  const files = items.flatMap(({ path, expected, target }): Overwritten[] => {
    if (expected?.kind !== 'file' || expected.git !== undefined) return [];
    return target?.kind === 'file' && target.hash === expected.hash ? [] : [{ path, entry: expected }];
  });
  for (const file of files) {
    try {
      await services.reader.contents([file]);
    } catch (error) {
      if (!isMissing(error, 'CONTENT_MISSING')) throw error;
      const bytes = readFileIn({ root }, join(root, file.path));
      if (bytes && hash('sha256', bytes) === file.entry.hash)
        await services.storage.putBlobs(null, [{ kind: 'file', bytes }]);
    }
  }
}
