/** How soon a checkpoint's context is there: through the engine, every entry verified; out of one plain file; by a bare SELECT. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Checkpoint, Engine } from '../../src/index.ts';
import { type Comparison, type Measurement, ratePerSecond } from '../harness.ts';
import { startDriven } from './driven.ts';
import { openAt, type Site } from './site.ts';
import { editsIn, TURN_BYTES, takeTurns } from './turns.ts';

interface Stored {
  readonly engine: Engine;
  readonly task: string;
  load(): Promise<Checkpoint>;
}

/** Milliseconds of a load by the engine, relative to reading, hashing and parsing one file with the same context. */
export async function loadAgainstFile(site: Site, turns: number): Promise<Comparison> {
  const { engine, load } = await storeTurns(site, turns);
  const file = join(site.project_dir, 'context.json');
  const text = JSON.stringify((await load()).context);
  writeFileSync(file, text);
  const sum = sha256(text);
  const readFile = (): void => {
    const bytes = readFileSync(file);
    if (sha256(bytes) !== sum) throw new Error('The file is not what was written.');
    JSON.parse(bytes.toString('utf8'));
  };
  return {
    floor: () => millisecondsOf(readFile),
    subject: () => millisecondsOf(async () => void (await load())),
    close: () => engine.close().finally(site.remove),
  };
}

/** The same relative to the rows that it is read from, by a bare SELECT. */
export async function loadAgainstSelect(site: Site, turns: number): Promise<Comparison> {
  const { engine, load, task } = await storeTurns(site, turns);
  const client = new Client({ connectionString: site.url! });
  await client.connect();
  const select = {
    name: 'floor',
    text: 'SELECT * FROM vibe_engine.journal WHERE task = $1 ORDER BY seq',
    values: [task],
  };
  const { rows } = await client.query<{ data: string | null }>(select);
  const bytes = rows.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  if (bytes < turns * TURN_BYTES) throw new Error('The rows of the journal do not have all of the context.');
  return {
    floor: () => millisecondsOf(async () => void (await client.query(select))),
    subject: () => millisecondsOf(async () => void (await load())),
    close: async () => {
      await client.end();
      await engine.close().finally(site.remove);
    },
  };
}

export async function loadTime(site: Site, turns: number): Promise<Measurement> {
  const { engine, load } = await storeTurns(site, turns);
  return {
    measure: () => millisecondsOf(async () => void (await load())),
    close: () => engine.close().finally(site.remove),
  };
}

/** Stored by one engine and loaded by another, which knows nothing of it. */
async function storeTurns(site: Site, turns: number): Promise<Stored> {
  const writing = await openAt(site);
  const { task, end } = await startDriven(writing);
  await takeTurns(task, turns, editsIn(site));
  await end();
  await writing.close();
  const engine = await openAt(site);
  const newest = (await engine.checkpoints.listCheckpoints(task.id)).at(-1)!;
  const load = async (): Promise<Checkpoint> => (await engine.checkpoints.loadCheckpoint(newest.id))!;
  const { messages, tool_outputs } = (await load()).context;
  if (messages.length !== 2 * turns || tool_outputs.length !== turns)
    throw new Error('Something is missing.');
  return { engine, load, task: task.id };
}

async function millisecondsOf(once: () => void | Promise<void>): Promise<number> {
  return 1000 / (await ratePerSecond([once]));
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
