/** Whether others on this machine can read what is stored: reported once by the engine, and each time by `doctor`. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/types.ts';
import { VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { jsonPath, sqlitePath } from '../../storage/paths.ts';
import { openFiles, openToOthers } from '../../system/exposure.ts';

export interface StoreLocation {
  readonly storage: Storage;
  /** Where the store is; without it only the project's own directory is checked. */
  readonly config?: Pick<Config, 'persistence'>;
  readonly project_dir: string;
}

/** Of the project's, not of the store's. */
const NOT_STORED = ['config.json', '.gitignore'];

/** What others can read or change of a store's files; nothing for a store on a server. `deep`: below its directory too. */
export function exposed({ storage, config, project_dir }: StoreLocation, deep: boolean): string[] {
  const place = { project_dir, home: homedir() };
  const own = join(project_dir, '.vibe-engine');
  const dirs = new Set([own]);
  let files: string[] = [];
  const persistence = config?.persistence;
  if (storage.type === 'json' && persistence?.storage_type === 'json')
    dirs.add(jsonPath(persistence, place).path);
  if (storage.type === 'sqlite' && persistence?.storage_type === 'sqlite') {
    const { path, own_dir } = sqlitePath(persistence, place);
    if (own_dir === dirname(path)) dirs.add(own_dir);
    else files = ['', '-wal', '-shm'].map((end) => `${path}${end}`);
  }
  const inside = [...dirs].flatMap((dir) => openToOthers(dir, { deep, passOver: NOT_STORED }));
  return [...inside, ...openFiles(files)];
}

const [CATEGORY, KEY] = ['notices', 'open-to-others'];

/** Best effort: a store that cannot be read reports that itself. */
export async function sayIfExposed(
  store: StoreLocation,
  notify: (lines: readonly string[]) => void,
): Promise<void> {
  try {
    const [first, ...more] = exposed(store, false);
    if (first === undefined || (await store.storage.get(CATEGORY!, KEY!)) !== null) return;
    await store.storage.save(CATEGORY!, KEY!, { at: new Date().toISOString() });
    notify([
      phrase`Others on this machine can read or change what is stored: ${first}${more.length === 0 ? '' : ` and ${more.length} more next to it`}.`,
      phrase`To close it: chmod -R go= on it. vibe-engine doctor lists all such files. This is shown once.`,
    ]);
  } catch (error) {
    if (!(error instanceof VibeError)) throw error;
  }
}
