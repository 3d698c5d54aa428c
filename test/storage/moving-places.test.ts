import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/types.ts';
import { settingBeside, settingOfStore } from '../../src/storage/moving/store-setting.ts';

const place = { project_dir: '/work/shop', home: '/home/ada' };
const persistence = (given: ConfigInput['persistence']) => parseConfig({ persistence: given }).persistence;

test.each([
  [{ storage_type: 'json' }, '.vibe-engine', '.vibe-engine/.sealed'],
  [{ storage_type: 'json', path: '.vibe-engine/.plain' }, '.vibe-engine/.plain', '.vibe-engine/.sealed'],
  [{ storage_type: 'json', path: 'data/store' }, 'data/store', 'data/store-sealed'],
  [{ storage_type: 'json', path: '/data/store-plain-2' }, '/data/store-plain-2', '/data/store-sealed'],
  [
    { storage_type: 'json', base_dir: '~/stores' },
    '~/stores/shop/persistence',
    '~/stores/shop/persistence-sealed',
  ],
  [{ storage_type: 'sqlite' }, '.vibe-engine/persistence.db', '.vibe-engine/persistence-sealed.db'],
  [{ storage_type: 'sqlite', path: '~/x.db' }, '~/x.db', '~/x-sealed.db'],
  [{ storage_type: 'postgres' }, 'vibe_engine', 'vibe_engine_sealed'],
  [{ storage_type: 'postgres', schema: 'shop_plain_3' }, 'shop_plain_3', 'shop_sealed'],
] as const)('%o lies in %s, and is encrypted into %s', (given, at, beside) => {
  expect(settingOfStore(persistence(given), place)?.value).toBe(at);
  expect(settingBeside(persistence(given), place, 'encrypt', 1).value).toBe(beside);
});

test('further names are numbered, and fit', () => {
  expect(settingBeside(persistence({ storage_type: 'json' }), place, 'decrypt', 3)).toEqual({
    ...{ name: 'path', value: '.vibe-engine/.plain-3' },
  });
  const long = persistence({ storage_type: 'postgres', schema: 'x'.repeat(63) });
  expect(settingBeside(long, place, 'encrypt', 12).value).toBe(`${'x'.repeat(53)}_sealed_12`);
});

test('nobody knows how to make a second store of somebody else’s', () => {
  expect(settingOfStore(persistence({ storage_type: 'mine' }), place)).toBeNull();
});
