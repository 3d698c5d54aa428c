/** Stores made with `new`, by a project's name: the same promises, opened at the first use. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonStorage, SqliteStorage } from '../../src/storage/opening/local.ts';
import { unlessFull } from '../support/full.ts';
import { damageJson } from './damage-json.ts';
import { damageSqlite } from './damage-sqlite.ts';
import type { Place } from './harness.ts';
import { MODULE } from './open-store.ts';
import { storageContract } from './suite.ts';

/** What these show is behind the front, and is shown there. */
const BEHIND = ['several processes', 'model', 'damage', 'keys', 'paging'];
/** The front is the same for both. */
const ALIKE = ['values', 'refusals', 'journals', 'blobs', 'tasks', 'claims'];

const STORES = {
  'new JsonStorage': (base: string): Place => {
    const root = join(base, 'project', 'persistence');
    return {
      open: async () => new JsonStorage('project', base),
      child: { module: MODULE, args: { type: 'json', root } },
      damage: damageJson(root),
      ...housekeeping(base),
    };
  },
  'new SqliteStorage': (base: string): Place => {
    const path = join(base, 'project', 'persistence.db');
    return {
      open: async () => new SqliteStorage('project', base),
      child: { module: MODULE, args: { type: 'sqlite', path } },
      damage: damageSqlite(path),
      ...housekeeping(base),
    };
  },
};

function housekeeping(base: string): Pick<Place, 'strangers' | 'remove'> {
  return {
    strangers: () => readdirSync(base).filter((name) => name !== 'project'),
    remove: async () => rmSync(base, { recursive: true }),
  };
}

for (const [name, place] of Object.entries(STORES)) {
  const fresh = async (): Promise<Place> => place(mkdtempSync(join(tmpdir(), 've-lazy-')));
  const shown = name === 'new JsonStorage' ? [] : unlessFull(ALIKE, []);
  storageContract(name, { fresh }, [...BEHIND, ...shown]);
}
