import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { decodeView, encodeView, revisionIn } from '../../src/storage/json/view.ts';
import { setIoHook } from '../../src/system/io.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

it.each(['{}', '{"a":{"$store":{"revision":9}}}', '[1,"\\n  \\"$store\\": "]', '"日本"'])(
  'the view of %s tells its revision without being parsed, unless a byte of it is another',
  (text) => {
    const bytes = encodeView({ revision: 7, updated_at: '2026-01-01T00:00:00.000Z', text });
    expect(revisionIn(bytes)).toBe(7);
    expect(decodeView(bytes)).toMatchObject({ revision: 7, text });
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(revisionIn(changed)).toBe(null);
      expect(decodeView(changed)).toBe(null);
    }
  },
);

it('the view of a record that fills the log is written once, and its revision grows in another process', async () => {
  const root = tempDir();
  const large = 'x'.repeat(400_000);
  const written: number[] = [];
  setIoHook(({ op, path }) => {
    if (op === 'write' && path.includes('config')) written.push(1);
    return undefined;
  });
  for (const n of [1, 2]) {
    const store = await openJsonStorage({ root });
    await store.save('config', 'a', { n, large });
    await store.close();
  }
  setIoHook(undefined);
  expect(written).toHaveLength(2);
  expect(revisionIn(readFileSync(join(root, 'config/a.json')))).toBeGreaterThan(1);
  const store = await openJsonStorage({ root });
  expect(await store.get('config', 'a')).toMatchObject({ data: { n: 2, large } });
  await store.close();
});
