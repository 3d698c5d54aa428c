import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seal } from '../../src/storage/sqlite/seal.ts';
import type { Damage } from './harness.ts';
import { MODULE, openStore } from './open-store.ts';
import { storageContract } from './suite.ts';

storageContract('SQLite', {
  skip: {
    'an owner stopped for longer than its lease is fenced out and never writes again':
      'ownership on one machine has no lease: a stopped owner keeps its task.',
  },
  async fresh() {
    const dir = mkdtempSync(join(tmpdir(), 've-contract-'));
    const address = { type: 'sqlite', path: join(dir, 'store.db') } as const;
    return {
      open: () => openStore(address),
      child: { module: MODULE, args: address },
      damage: damageIn(address.path),
      strangers: () => readdirSync(dir).filter((name) => !name.startsWith('store.db')),
      remove: async () => rmSync(dir, { recursive: true }),
    };
  },
});

function damageIn(path: string): Damage {
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
        "UPDATE persistence SET data = replace(data, 'a', 'b') WHERE category = ? AND key = ?",
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
