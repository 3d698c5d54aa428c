/**
 * The three back ends, for tests that must hold on each: engines on a fresh store, looked at and damaged past them. The
 * contract suite holds the back ends equal, so that most is shown on one, and on the others in `npm run test:full`.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, describe } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import { type Engine, type EngineOptions, openEngine } from '../../src/engine/engine.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { seal } from '../../src/storage/sqlite/seal.ts';
import { unlessFull } from '../support/full.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { tempDirs } from '../support/temp.ts';

export interface Store {
  /** The project directory. */
  readonly dir: string;
  readonly config: ConfigInput;
  open(options?: EngineOptions): Promise<Engine>;
  /** Changes a journal entry past the store, which nobody may have open. */
  damageEntry(task: string, seq: number): Promise<void>;
  /** Makes all blobs that belong to no task older by so much. */
  ageBlobs(hours: number): Promise<void>;
}

/** Nothing happens by itself. */
const quiet = { signals: false, automatic_cleanup: false };

/** Longer than any test takes, however slow the machine: a dead owner is known by its ended session. */
export const LONG_LEASE = 600;

type StorageType = 'json' | 'sqlite' | 'postgres';

type CasesOn = (fresh: () => Promise<Store>, type: StorageType) => void;

const ALL = ['json', 'sqlite', 'postgres'] as const;

/** One `describe` for the first of them; for each in `npm run test:full`. */
export function onEachStore(cases: CasesOn, types: readonly StorageType[] = ALL): void {
  onEveryStore(cases, unlessFull(types.slice(0, 1), types));
}

/** One `describe` per back end, always: where the engine does something else on each, or all of it together. */
export function onEveryStore(cases: CasesOn, types: readonly StorageType[] = ALL): void {
  const tempDir = tempDirs();
  const opened: Engine[] = [];
  let database: Promise<TestDatabase> | undefined;
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close();
  });
  afterAll(async () => (await database)?.drop());

  const fresh = async (type: StorageType): Promise<Store> => {
    const dir = tempDir();
    const schema = `engine_${randomBytes(6).toString('hex')}`;
    if (type === 'postgres') database ??= freshDatabase();
    const shared = await database;
    const persistence =
      type === 'postgres'
        ? { storage_type: type, url: shared!.url, schema, lease_seconds: LONG_LEASE }
        : { storage_type: type };
    const config = { persistence };
    return {
      dir,
      config,
      async open(options = {}) {
        const settings = { ...config, ...options.config };
        const engine = await openEngine({ project_dir: dir, ...quiet, ...options, config: settings });
        opened.push(engine);
        return engine;
      },
      async damageEntry(task, seq) {
        if (type === 'json') damageJson(join(dir, '.vibe-engine', 'tasks', task), seq);
        else if (type === 'sqlite') damageSqlite(join(dir, '.vibe-engine', 'persistence.db'), task, seq);
        else {
          const rows = await shared!.query(
            `UPDATE ${schema}.journal SET data = '"damaged"' WHERE task = $1 AND seq = $2 RETURNING 1`,
            [task, seq],
          );
          assertOne(rows.length);
        }
      },
      async ageBlobs(hours) {
        if (type === 'json') ageJson(join(dir, '.vibe-engine', 'blobs'), hours);
        else if (type === 'sqlite') ageSqlite(join(dir, '.vibe-engine', 'persistence.db'), hours);
        else {
          const sql = `UPDATE ${schema}.blobs SET created_at = created_at - $1 * interval '1 hour' WHERE task = ''`;
          await shared!.query(sql, [hours]);
        }
      },
    };
  };

  for (const type of types) describe(type, () => cases(() => fresh(type), type));
}

/** Everything that is stored, in a form that can be compared; without the copies for readers, which come later. */
export async function everythingIn(storage: Storage): Promise<unknown> {
  const categories = ['tasks', 'queue', 'inbox', 'forks'];
  const records: Record<string, unknown> = {};
  for (const category of categories) {
    for (const key of await storage.list(category)) {
      records[`${category}/${key}`] = await storage.get(category, key);
    }
  }
  const tasks: Record<string, unknown> = {};
  for (const task of (await storage.tasks({ limit: 1000 })).keys) {
    const entries = await collect(storage.read(task));
    const blobs = await collect(storage.listBlobs(task));
    tasks[task] = { entries, blobs: blobs.map(({ id }) => id).sort() };
  }
  return { records, tasks };
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Each line of a task's log is a commit; it says with which entry the journal ends after it. */
function damageJson(dir: string, seq: number): void {
  const file = join(dir, 'journal.log');
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => Number(/"s":(\d+)/.exec(line)?.[1] ?? 0) >= seq);
  assertOne(at < 0 ? 0 : 1);
  lines[at] = lines[at]!.replace('"at":"2', '"at":"3');
  writeFileSync(file, lines.join('\n'));
}

function damageSqlite(path: string, task: string, seq: number): void {
  const db = new DatabaseSync(path);
  try {
    const sql = `UPDATE journal SET data = '"damaged"' WHERE head = (SELECT id FROM heads WHERE task = ?) AND seq = ?`;
    assertOne(Number(db.prepare(sql).run(task, seq).changes));
  } finally {
    db.close();
  }
}

function ageJson(dir: string, hours: number): void {
  for (const { name, parentPath } of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const { mtimeMs } = statSync(join(parentPath, name));
    const time = mtimeMs / 1000 - hours * 3600;
    utimesSync(join(parentPath, name), time, time);
  }
}

function ageSqlite(path: string, hours: number): void {
  const db = new DatabaseSync(path, { timeout: 5000 });
  try {
    const rows = db.prepare("SELECT id, name, size, created_at FROM blobs WHERE task = ''").all();
    for (const { id, name, size, created_at } of rows) {
      const at = new Date(Date.parse(created_at as string) - hours * 3_600_000).toISOString();
      const sum = seal(`\n${name}\n${size}\n${at}`);
      db.prepare('UPDATE blobs SET created_at = ?, checksum = ? WHERE id = ?').run(at, sum, id!);
    }
  } finally {
    db.close();
  }
}

function assertOne(changed: number): void {
  if (changed !== 1) throw new Error('There is nothing to damage.');
}
