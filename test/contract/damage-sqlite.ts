/** Changes rows of an SQLite store. */
import { DatabaseSync } from 'node:sqlite';
import { seal } from '../../src/storage/sqlite/seal.ts';
import type { Damage } from './harness.ts';

export function damageSqlite(path: string): Damage {
  const run = async (sql: string, ...values: (string | number)[]) => {
    const db = new DatabaseSync(path);
    try {
      if (db.prepare(sql).run(...values).changes !== 1) throw new Error('There is nothing to damage.');
    } finally {
      db.close();
    }
  };
  return {
    record: (category, key) =>
      run(
        "UPDATE persistence SET data = replace(data, substr(data, -3, 1), '#') WHERE category = ? AND key = ?",
        category,
        key,
      ),
    entry: (task, seq) =>
      run(
        `UPDATE journal SET data = '"damaged"' WHERE head = (SELECT id FROM heads WHERE task = ?) AND seq = ?`,
        task,
        seq,
      ),
    blob: (task, id) =>
      run("UPDATE blobs SET bytes = CAST('damaged!!' AS BLOB) WHERE task = ? AND name = ?", task ?? '', id),
    age: async (task, id, hours) => {
      const at = new Date(Date.now() - hours * 3_600_000).toISOString();
      const size = sizeIn(path, task ?? '', id);
      const sum = seal(`${task ?? ''}\n${id}\n${size}\n${at}`);
      await run(
        'UPDATE blobs SET created_at = ?, checksum = ? WHERE task = ? AND name = ?',
        at,
        sum,
        task ?? '',
        id,
      );
    },
  };
}

function sizeIn(path: string, task: string, id: string): number {
  const db = new DatabaseSync(path);
  try {
    return (
      db.prepare('SELECT size FROM blobs WHERE task = ? AND name = ?').get(task, id) as { size: number }
    ).size;
  } finally {
    db.close();
  }
}
