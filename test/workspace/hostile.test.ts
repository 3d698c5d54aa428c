/** Snapshots that no scan would write: each is refused before anything is touched. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Storage } from '../../src/storage/contract.ts';
import { leadsOut } from '../../src/workspace/restore/links.ts';
import { encodeLayer, type LayerChange } from '../../src/workspace/snapshot/layer.ts';
import { assertFits } from '../../src/workspace/tree/names.ts';
import type { TreeEntry } from '../../src/workspace/tree/tree.ts';
import { filesIn, grounds, put } from './ground.ts';

const newGround = grounds();
const EVIL = Buffer.from('evil');

const NAMES = [
  '..',
  '.',
  '',
  '.git',
  '.GIT',
  '.Git',
  '.git.',
  '.git ',
  '.git. .',
  '.git::$INDEX_ALLOCATION',
  'git~1',
  'GIT~1',
  '.g\u200cit',
  '.\ufeffgit',
  '.vibe-engine',
  '.VIBE-ENGINE',
  'vibe-e~1',
  '.vibe-engine-restore-x-1.old',
  'a\0b',
  'a\nb',
  'a\rb',
  'a\\b',
  '..\\x',
  'C:\\x',
  '\u001b[2J',
  '\ud800',
  'x'.repeat(256),
  '?6162',
];
const AROUND = ['', '/x', 'dir/', 'dir/sub/'];

const file: TreeEntry = { kind: 'file', mode: 0o755, size: 4, hash: hash('sha256', EVIL) };
const entries: TreeEntry[] = [file, { kind: 'symlink', target: '/etc' }, { kind: 'dir', mode: 0o777 }];

describe('hostile snapshots', () => {
  const layers: [string, LayerChange[]][] = NAMES.flatMap((name) =>
    AROUND.flatMap((around) => {
      const path = around.startsWith('/') ? `${name}${around}` : `${around}${name}`;
      return entries.map((after): [string, LayerChange[]] => [
        JSON.stringify([path, after.kind]).slice(0, 60),
        // Beside something harmless, which must not be written either.
        [{ path: 'harmless', after: file }, ...parents(path), { path, after }],
      ]);
    }),
  );
  layers.push(
    [
      'a file below a link',
      [
        { path: 'a', after: { kind: 'symlink', target: '/tmp' } },
        { path: 'a/b', after: file },
      ],
    ],
    [
      'a file below a file',
      [
        { path: 'a', after: file },
        { path: 'a/b', after: file },
      ],
    ],
    ['a file below nothing', [{ path: 'a/b/c', after: file }]],
    ['an absolute path', [{ path: '/etc/x', after: file }]],
    ['a link to nothing', [{ path: 'a', after: { kind: 'symlink', target: '' } }]],
    ['a link with NUL', [{ path: 'a', after: { kind: 'symlink', target: 'a\0b' } }]],
  );

  test(`${layers.length} of them are refused before anything is touched`, async () => {
    expect(layers.length).toBeGreaterThan(200);
    const { root, storage, open } = newGround();
    put(root, 'mine', 'mine');
    const workspace = await open();
    const { id: harmless } = await workspace.snapshot();
    const store = await storage();
    await store.putBlobs(null, [{ kind: 'file', bytes: EVIL }]);
    const before = filesIn(root);
    const above = join(root, '..', 'x'); // Somebody else's, if it is there.
    const wasThere = existsSync(above);
    for (const [name, changes] of layers) {
      const to = await storeSnapshot(store, encodeLayer(changes));
      const attempt = workspace.restore({
        to,
        own: [{ from: to, to: harmless }],
        on_modified: 'use_checkpoint',
      });
      await expect(attempt, name).rejects.toMatchObject({ code: 'SNAPSHOT_UNSAFE' });
    }
    expect(filesIn(root)).toEqual(before);
    expect(existsSync(above)).toBe(wasThere);
  });

  test('bytes that are no layer, and content that is not what its hash says, are refused', async () => {
    const { root, storage, open } = newGround();
    put(root, 'mine', 'mine');
    const workspace = await open();
    const { id: harmless } = await workspace.snapshot();
    const store = await storage();
    const to = await storeSnapshot(store, Buffer.from('no layer'));
    await expect(workspace.restore({ to, own: [{ from: to, to: harmless }] })).rejects.toMatchObject({
      code: 'SNAPSHOT_UNSAFE',
    });
    const unknown: TreeEntry = { kind: 'file', mode: 0o644, size: 1, hash: '0'.repeat(64) };
    const missing = await storeSnapshot(store, encodeLayer([{ path: 'other', after: unknown }]));
    const attempt = workspace.restore({ to: missing, own: [{ from: missing, to: harmless }] });
    await expect(attempt).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    expect([...filesIn(root).keys()]).toEqual(['mine']);
    // Nothing was begun that would have to be finished first.
    expect(await workspace.restore({ to: harmless, own: [] })).toMatchObject({ restored: [] });
  });

  test('names that other file systems take for one are refused there', () => {
    const unsafe = { code: 'SNAPSHOT_UNSAFE' };
    const check = (paths: string[], windows: boolean) => () => assertFits(paths, { windows, folds: true });
    expect(check(['a', 'A'], false)).toThrow(expect.objectContaining(unsafe));
    expect(check(['caf\u00e9', 'cafe\u0301'], false)).toThrow(expect.objectContaining(unsafe));
    for (const path of ['aux', 'nul.txt', 'dir/con', 'x.', 'x ', 'a:b', 'a?']) {
      expect(check([path], true), path).toThrow(expect.objectContaining(unsafe));
    }
    expect(check(['a', 'b/A', 'auxiliary'], true)).not.toThrow();
  });

  test.each([
    ['a', 'b', false],
    ['a', '../b', true],
    ['d/a', '../b', false],
    ['d/a', '../../b', true],
    ['d/a', 'x/../../../b', true],
    ['a', '/etc', true],
    ['a', 'C:\\x', true],
    ['a', '..\\x', true],
  ])('a link at %s to %s leads out: %s', (path, target, out) => {
    expect(leadsOut(path, target)).toBe(out);
  });

  test.each([
    ['y', 'x/up/..', true],
    ['y', 'x/up/a', false],
    ['y', 'x/out/a', true],
    ['y', 'x/twice', true],
    ['x/z', 'up/../a', true],
    ['y', 'round', false],
    ['y', 'round/a', false],
    // The system refuses one that leads through itself: it leads nowhere.
    ['y', 'grows', false],
    ['y', 'x/grows/../..', true],
    ['y', 'x/in/../b', false],
  ])('a link at %s to %s leads out by way of others: %s', (path, target, out) => {
    const links: Record<string, string> = {
      'x/up': '..',
      'x/out': '/etc',
      'x/twice': 'up/x/out',
      'x/in': '../deep/dir',
      round: 'round',
      grows: 'grows/b',
      'x/grows': '../x/up/..',
    };
    const linksAt = (at: string) => (links[at] === undefined ? [] : [links[at]]);
    expect(leadsOut(path, target, linksAt)).toBe(out);
  });
});

function parents(path: string): LayerChange[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => ({
    path: names.slice(0, index + 1).join('/'),
    after: { kind: 'dir', mode: 0o755 } as const,
  }));
}

async function storeSnapshot(storage: Storage, layer: Uint8Array): Promise<string> {
  const [id] = await storage.putBlobs(null, [{ kind: 'tree', bytes: layer }]);
  const document = { version: 1, layers: [{ content: { blob: id }, entries: 1 }], holds: [] };
  return (
    await storage.putBlobs(null, [{ kind: 'snapshot', bytes: Buffer.from(JSON.stringify(document)) }])
  )[0]!;
}
