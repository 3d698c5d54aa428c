import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  };
}
