/** The three back ends, each with an empty place of its own. */
import { existsSync } from 'node:fs';
import type { Storage } from '../../src/storage/contract.ts';
import { freshDatabase } from '../../test/support/postgres.ts';
import { isInMemory } from '../harness/machine.ts';
import type { Scratch } from '../harness.ts';

export type BackEndType = 'json' | 'sqlite' | 'postgres';

export const NAMES = { json: 'JSON', sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

export interface BackEnd {
  readonly type: BackEndType;
  /** The directory, the file or the url. */
  readonly place: string;
  remove(): Promise<void>;
}

/** Imports the back end now and answers how to open it, so that opening alone can be timed. */
export async function opener(type: BackEndType): Promise<(place: string) => Promise<Storage>> {
  switch (type) {
    case 'json': {
      const { openJsonStorage } = await import('../../src/storage/json/open.ts');
      return (root) => openJsonStorage({ root });
    }
    case 'sqlite': {
      const { openSqliteStorage } = await import('../../src/storage/sqlite/open.ts');
      return (path) => openSqliteStorage({ path });
    }
    case 'postgres': {
      await import('pg');
      const { openPostgresStorage } = await import('../../src/storage/postgres/open.ts');
      return (url) => openPostgresStorage({ url });
    }
  }
}

/** The scratch directory goes as a whole at the end. */
const keep = async (): Promise<void> => {};

export async function openJsonBackEnd(scratch: Scratch): Promise<BackEnd> {
  return { type: 'json', place: scratch.fresh('json'), remove: keep };
}

export async function openSqliteBackEnd(scratch: Scratch): Promise<BackEnd> {
  return { type: 'sqlite', place: scratch.fresh('sqlite.db'), remove: keep };
}

export async function openPostgresBackEnd(): Promise<BackEnd> {
  const database = await freshDatabase();
  const [row] = await database.query('SHOW data_directory');
  const directory = String(row?.data_directory);
  if (existsSync(directory) && isInMemory(directory)) {
    throw new Error(
      `The server keeps its data in memory (${directory}). Set TMPDIR to a directory on a disk.`,
    );
  }
  return { type: 'postgres', place: database.url, remove: database.drop };
}
