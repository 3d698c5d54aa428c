/** Many edits, by this process and by another, each followed at once by a watched snapshot: none is missed. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { TreeEntry } from '../../src/workspace/tree/tree.ts';
import { type Random, random } from '../crash/random.ts';
import { unlessFull } from '../support/full.ts';
import { onPlatform, WATCHES } from '../support/platform.ts';
import { withTreeWatch } from '../support/tree-watch.ts';
import { type Files, filesIn, grounds, put, type Thing } from './ground.ts';
import { DEEDS, type Deed } from './hands.ts';

const newGround = grounds();
const EDITS = Number(process.env.WATCH_EDITS ?? unlessFull(100, 400));

const other = spawn(process.execPath, [join(import.meta.dirname, 'hands.ts')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = createInterface({ input: other.stdout });
afterAll(() => void other.stdin.end());

describe.each(WATCHES)('watched by %s', (watches) => {
  onPlatform({ watches });
  withTreeWatch();

  test(`${EDITS} edits are seen, each by the next snapshot`, { timeout: 3_600_000 }, async () => {
    const { root, open } = newGround();
    for (let n = 0; n < 40; n++) put(root, `d${n % 8}/f${n}`, `${n}`);
    const workspace = await open();
    expect(await workspace.watch()).toBe(true);
    const rng = random('watch', EDITS);
    let before = filesIn(root);
    const done = new Map<string, number>();
    for (let n = 0; n < EDITS; n++) {
      const deed = drawDeed(rng, before, n);
      const path = join(root, deed.path);
      const how = deed.do === 'move' ? join(root, deed.with) : deed.with;
      if (rng.oneIn(2)) DEEDS[deed.do](path, how);
      else {
        const said = once(answers, 'line');
        other.stdin.write(`${JSON.stringify({ do: deed.do, path, with: how } satisfies Deed)}\n`);
        await said;
      }
      const { changes } = await workspace.snapshot();
      const after = filesIn(root);
      expect(
        changes.map(({ path, after }) => [path, shapeOf(after)]),
        `edit ${n}: ${JSON.stringify(deed)}`,
      ).toEqual(changesOf(before, after));
      before = after;
      done.set(deed.do, (done.get(deed.do) ?? 0) + 1);
    }
    expect([...done.keys()].sort()).toEqual(Object.keys(DEEDS).sort());
  });
});

function drawDeed(rng: Random, files: Files, n: number): Deed {
  const of = (kind: Thing['kind']) => [...files].filter(([, thing]) => thing.kind === kind);
  const text = `edit ${n}`;
  const fresh = `d${rng.below(8)}/${rng.pick(['', 'sub/', 'sub/sub/'])}n${rng.below(20)}`;
  if (of('file').length < 20 || rng.oneIn(4)) {
    const taken = files.has(fresh) && files.get(fresh)!.kind !== 'file';
    return taken ? { do: 'remove', path: fresh, with: '' } : { do: 'write', path: fresh, with: text };
  }
  const [path, file] = rng.pick(of('file')) as [string, Thing & { kind: 'file' }];
  const sameLength = file.bytes.replace(/./g, () => `${rng.below(10)}`);
  return rng.pick<Deed>([
    { do: 'write', path, with: text },
    { do: 'append', path, with: text },
    { do: 'save', path, with: text },
    { do: 'forge', path, with: sameLength },
    { do: 'remove', path, with: '' },
    { do: 'mode', path, with: rng.pick(['600', '644', '755']) },
    { do: 'link', path, with: rng.pick(['here', 'there']) },
    { do: 'move', path: rng.pick(of('dir'))[0], with: `moved-${n}` },
  ]);
}

function changesOf(before: Files, after: Files): [string, unknown][] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths
    .filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)))
    .map((path) => {
      const thing = after.get(path);
      if (thing?.kind !== 'file') return [path, thing ?? null];
      const { mode, bytes } = thing;
      return [path, { kind: 'file', mode, hash: hash('sha256', Buffer.from(bytes, 'latin1')) }];
    });
}

function shapeOf(entry: TreeEntry | null): unknown {
  return entry?.kind === 'file' ? { kind: 'file', mode: entry.mode, hash: entry.hash } : entry;
}
