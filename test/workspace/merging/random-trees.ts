/** Random trees and what two sides make of them, with contents in memory. */
import { hash } from 'node:crypto';
import type { MergeServices, ThreeTrees } from '../../../src/workspace/merging/parts.ts';
import { applyLayer } from '../../../src/workspace/snapshot/apply-layer.ts';
import { encodeLayer } from '../../../src/workspace/snapshot/layer.ts';
import { decodeLayer } from '../../../src/workspace/snapshot/layer-reader.ts';
import { EMPTY_TREE, type Tree, type TreeEntry } from '../../../src/workspace/tree/tree.ts';
import { type Random, random } from '../../crash/random.ts';

export type Things = Map<string, Thing>;
export type Thing =
  | { readonly kind: 'file'; readonly mode: number; readonly text: string }
  | { readonly kind: 'symlink'; readonly target: string };

/** Few, and some in each other's way. */
const PATHS = ['a', 'b', 'c', 'd/a', 'd/b', 'd/e/a', 'f', 'f/a', 'g/h', 'g/i', 'j'];

export interface Case {
  readonly base: Things;
  readonly ours: Things;
  readonly theirs: Things;
}

export function makeCase(seed: number): Case {
  const rng = random('trees', seed);
  const base: Things = new Map();
  for (let count = 2 + rng.below(6); count > 0; count--) put(base, rng.pick(PATHS), freshThing(rng));
  return { base, ours: changed(base, rng), theirs: changed(base, rng) };
}

function changed(base: Things, rng: Random): Things {
  const things: Things = new Map(base);
  for (let count = 1 + rng.below(3); count > 0; count--) {
    const path = things.size > 0 ? rng.pick([...things.keys()]) : null;
    const thing = path === null ? undefined : things.get(path);
    const what = rng.below(10);
    if (path === null || !thing || what < 2) put(things, rng.pick(PATHS), freshThing(rng));
    else if (what < 3) things.delete(path);
    else if (what < 6) {
      things.delete(path);
      put(things, rng.pick(PATHS), rng.oneIn(2) ? thing : edited(thing, rng));
    } else if (what < 9) things.set(path, edited(thing, rng));
    else if (thing.kind === 'file') things.set(path, { ...thing, mode: rng.pick([0o644, 0o755, 0o600]) });
  }
  return things;
}

/** In the place of whatever is in its way. */
function put(things: Things, path: string, thing: Thing): void {
  for (const other of things.keys())
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) things.delete(other);
  things.set(path, thing);
}

/** Has no line in common with any other. */
function freshThing(rng: Random): Thing {
  if (rng.oneIn(8)) return { kind: 'symlink', target: `target-${rng.below(1e9)}` };
  const id = rng.below(1e9);
  const lines = Array.from({ length: 20 }, (_, line) => `${hash('sha256', `${id} ${line}`)}\n`);
  return { kind: 'file', mode: rng.pick([0o644, 0o644, 0o755]), text: lines.join('') };
}

function edited(thing: Thing, rng: Random): Thing {
  if (thing.kind === 'symlink') return { kind: 'symlink', target: `target-${rng.below(3)}` };
  const lines = thing.text.split('\n');
  lines[rng.below(4) * 6] = `edited ${rng.below(3)}`;
  return { ...thing, text: lines.join('\n') };
}

export interface Memory extends MergeServices {
  trees(three: Case): ThreeTrees;
  /** As plain data. */
  thingOf(entry: TreeEntry | null): unknown;
}

export function memory(): Memory {
  const contents = new Map<string, Uint8Array>();
  const keep = async (bytes: Uint8Array): Promise<string> => store(bytes);
  const store = (bytes: Uint8Array): string => {
    const digest = hash('sha256', bytes);
    contents.set(digest, bytes);
    return digest;
  };
  const entryOf = (thing: Thing): TreeEntry => {
    if (thing.kind === 'symlink') return thing;
    const bytes = Buffer.from(thing.text);
    return { kind: 'file', mode: thing.mode, size: bytes.length, hash: store(bytes) };
  };
  const treeOf = (things: Things): Tree => {
    const changes = new Map<string, TreeEntry>();
    for (const [path, thing] of things) {
      for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
        changes.set(path.slice(0, at), { kind: 'dir', mode: 0o755 });
      changes.set(path, entryOf(thing));
    }
    const layer = [...changes].map(([path, after]) => ({ path, after }));
    layer.sort((a, b) => (a.path < b.path ? -1 : 1));
    return applyLayer(EMPTY_TREE, decodeLayer(encodeLayer(layer)));
  };
  return {
    keep,
    contents: async (files) => files.map(({ entry }) => contents.get(entry.hash)!),
    trees: ({ base, ours, theirs }) => ({ base: treeOf(base), ours: treeOf(ours), theirs: treeOf(theirs) }),
    thingOf: (entry) =>
      entry?.kind === 'file'
        ? { mode: entry.mode.toString(8), text: Buffer.from(contents.get(entry.hash)!).toString() }
        : entry,
  };
}
