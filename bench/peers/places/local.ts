/** Where a contender keeps what it stores: a directory, or a database on the server that all share. */
import { readdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Scratch } from '../../harness.ts';
import { openPostgresBackEnd } from '../../storage/back-ends.ts';
import type { Place } from '../process/protocol.ts';

export interface OpenPlace extends Place {
  /** All that it keeps there by now. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

export type OpenAPlace = (scratch: Scratch, installed: string) => Promise<OpenPlace>;

export function inDirectory(name: string, variant: string): OpenAPlace {
  return async (scratch, installed) => {
    const directory = scratch.fresh(name);
    await mkdir(directory);
    return { installed, directory, variant, bytes: async () => bytesIn(directory), remove: async () => {} };
  };
}

/** An empty database of its own on the server that all share. */
export function inDatabase(name: string, variant: string): OpenAPlace {
  return async (scratch, installed) => {
    const { place: url, remove } = await openPostgresBackEnd();
    const directory = scratch.fresh(name);
    await mkdir(directory);
    const empty = await databaseBytes(url);
    const bytes = async () => (await databaseBytes(url)) - empty;
    return { installed, directory, variant, url, bytes, remove };
  };
}

async function databaseBytes(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_database_size(current_database())::float8 AS bytes');
    return rows[0].bytes;
  } finally {
    await client.end();
  }
}

export function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
