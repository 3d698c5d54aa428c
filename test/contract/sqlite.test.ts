import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { damageSqlite } from './damage-sqlite.ts';
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
      damage: damageSqlite(address.path),
      strangers: () => readdirSync(dir).filter((name) => !name.startsWith('store.db')),
      remove: async () => rmSync(dir, { recursive: true }),
    };
  },
});
