/** Random stories of a task and of others on the same files, and what each of their acts does to the files. */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Files, filesIn, putThing, type Thing } from './ground.ts';

/** None is in another's way. */
export const FLAT_PATHS = ['a', 'b', 'dir/a', 'dir/b', 'dir/sub/a', 'other/a', 'other/deep/er/a'];
/** A file or a link can stand where another story has a directory. */
export const NESTED_PATHS = [...FLAT_PATHS, 'dir', 'dir/sub', 'other/deep'];

const file = fc.record({
  kind: fc.constant('file' as const),
  mode: fc.constantFrom(0o644, 0o600, 0o755),
  bytes: fc.constantFrom('', 'one\n', 'two\r\n', '\xff\xfe\x00', 'three\nlines\nhere\n'),
});
const link = fc.record({ kind: fc.constant('symlink' as const), target: fc.constantFrom('a', 'nowhere') });
const directory = fc.record({ kind: fc.constant('dir' as const), mode: fc.constantFrom(0o755, 0o700) });

const leaf = fc.oneof({ weight: 5, arbitrary: file }, { weight: 1, arbitrary: link });
const anything = fc.oneof({ weight: 6, arbitrary: leaf }, { weight: 1, arbitrary: directory });

/** What is put at a path; null removes what is there. */
export interface Act {
  readonly path: string;
  readonly thing: Thing | null;
}

export interface Batch {
  readonly by: 'task' | 'others';
  readonly acts: readonly Act[];
}

export const flatAct: fc.Arbitrary<Act> = actOn(FLAT_PATHS, leaf);
export const nestedAct: fc.Arbitrary<Act> = actOn(NESTED_PATHS, anything);

export function batchesOf(act: fc.Arbitrary<Act>): fc.Arbitrary<Batch[]> {
  const by = fc.constantFrom('task' as const, 'others' as const);
  return fc.array(fc.record({ by, acts: fc.array(act, { minLength: 1, maxLength: 4 }) }), { maxLength: 6 });
}

function actOn(paths: readonly string[], thing: fc.Arbitrary<Thing>): fc.Arbitrary<Act> {
  return fc.record({ path: fc.constantFrom(...paths), thing: fc.option(thing, { nil: null, freq: 4 }) });
}

export function perform(root: string, { path, thing }: Act): void {
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth++) {
    const above = join(root, ...names.slice(0, depth));
    const found = lstatSync(above, { throwIfNoEntry: false });
    if (found && !found.isDirectory()) rmSync(above);
  }
  if (thing) putThing(root, path, thing);
  else rmSync(join(root, path), { recursive: true, force: true });
}

/** Directories come and go with what is in them. */
export function leavesIn(root: string): Files {
  return new Map([...filesIn(root)].filter(([, { kind }]) => kind !== 'dir'));
}
