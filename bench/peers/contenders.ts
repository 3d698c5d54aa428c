/** Who is measured: us on each store, and the peers in each way that one would use them. */
import { readdirSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Scratch } from '../harness.ts';
import { openPostgresBackEnd } from '../storage/back-ends.ts';
import type { Actions, Place } from './process/protocol.ts';
import type { PeerName } from './versions.ts';

export interface Contender {
  readonly id: ContenderId;
  readonly name: string;
  /** Null: ours. */
  readonly peer: PeerName | null;
  readonly module: string;
  readonly variant: string;
  /** What it is measured at; the reason where it cannot be. */
  readonly does: Partial<Record<keyof Actions, true | string>>;
  /** What there is to say about its recovery. */
  readonly leased?: string;
  open(scratch: Scratch, installed: string): Promise<OpenPlace>;
}

export interface OpenPlace extends Place {
  /** All that it keeps there by now. */
  bytes(): Promise<number>;
  remove(): Promise<void>;
}

const workers = join(import.meta.dirname, 'workers');

const ALL = { steps: true, converse: true, load: true, runAndDie: true, recover: true } as const;

function ours<Id extends string>(id: Id, name: string, variant: string, open: Contender['open']) {
  return { id, name, peer: null, module: join(workers, 'ours.ts'), variant, does: ALL, open };
}

function langgraph<Id extends string>(id: Id, name: string, does: Contender['does']) {
  const variant = id.slice('langgraph-'.length);
  return {
    id,
    name,
    peer: 'langgraph',
    module: join(workers, 'langgraph.ts'),
    variant,
    does,
    open: inDirectory(id, variant),
  } as const;
}

const LIST = [
  ours('json', 'Vibe Engine, JSON', 'json', inDirectory('json', 'json')),
  ours('sqlite', 'Vibe Engine, SQLite', 'sqlite', inDirectory('sqlite', 'sqlite')),
  {
    ...ours('postgres', 'Vibe Engine, PostgreSQL', 'postgres', inDatabase('postgres', 'postgres')),
    leased: 'the lease of the owner that was killed has to end first (default: 30 s)',
  },
  langgraph('langgraph-graph', 'LangGraph, graph', { steps: true, runAndDie: true, recover: true }),
  langgraph('langgraph-tasks', 'LangGraph, tasks', { steps: true, runAndDie: true, recover: true }),
  langgraph('langgraph-full', 'LangGraph, full', { converse: true, load: true }),
  langgraph('langgraph-delta', 'LangGraph, delta', { converse: true, load: true }),
  {
    id: 'dbos',
    name: 'DBOS',
    peer: 'dbos',
    module: join(workers, 'dbos.ts'),
    variant: '',
    does: ALL,
    open: inDatabase('dbos', ''),
  },
] as const;

export type ContenderId = (typeof LIST)[number]['id'];

export const CONTENDERS: readonly Contender[] = LIST;

function inDirectory(name: string, variant: string): Contender['open'] {
  return async (scratch, installed) => {
    const directory = scratch.fresh(name);
    await mkdir(directory);
    return { installed, directory, variant, bytes: async () => bytesIn(directory), remove: async () => {} };
  };
}

/** An empty database of its own on the server that all share. */
function inDatabase(name: string, variant: string): Contender['open'] {
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
