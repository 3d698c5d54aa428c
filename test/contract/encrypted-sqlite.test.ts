import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unlessFull } from '../support/full.ts';
import { damageSqlite } from './damage-sqlite.ts';
import { encryptedPlace, SEALED_ALIKE } from './encrypted.ts';
import { storageContract } from './suite.ts';

storageContract(
  'SQLite, encrypted',
  {
    sealed: true,
    skip: {
      'an owner stopped for longer than its lease is fenced out and never writes again':
        'ownership on one machine has no lease: a stopped owner keeps its task.',
    },
    async fresh() {
      const dir = mkdtempSync(join(tmpdir(), 've-contract-'));
      const place = { type: 'sqlite', path: join(dir, 'store.db') } as const;
      return encryptedPlace(place, {
        damage: damageSqlite(place.path),
        strangers: () => readdirSync(dir).filter((name) => !name.startsWith('store.db')),
        remove: async () => rmSync(dir, { recursive: true }),
      });
    },
  },
  unlessFull(SEALED_ALIKE, []),
);
