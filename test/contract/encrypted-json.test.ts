import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { damageJson } from './damage-json.ts';
import { encryptedPlace, sealedTexts } from './encrypted.ts';
import { storageContract } from './suite.ts';

storageContract('JSON, encrypted', {
  sealed: true,
  skip: {
    'an owner stopped for longer than its lease is fenced out and never writes again':
      'ownership on one machine has no lease: a stopped owner keeps its task.',
  },
  async fresh() {
    const dir = mkdtempSync(join(tmpdir(), 've-contract-'));
    const place = { type: 'json', root: join(dir, 'store') } as const;
    return encryptedPlace(place, {
      damage: damageJson(place.root, sealedTexts(place)),
      strangers: () => readdirSync(dir).filter((name) => name !== 'store'),
      remove: async () => rmSync(dir, { recursive: true }),
    });
  },
});
