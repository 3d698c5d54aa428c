/** Damage at random: bits flipped, tails cut, files and rows gone, stretches zeroed, lines and blobs exchanged. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '../crash/random.ts';
import { damageGit } from './git.ts';
import type { Row } from './rows.ts';
import type { World } from './world.ts';

export interface Damage {
  /** What was done, in words. */
  readonly what: string;
  /** The first entry of the journal that it can concern. */
  readonly from: number;
  /** What a task cannot do without was hit: it may refuse to go on. */
  readonly fatal: boolean;
  /** Puts back what was damaged; null where that takes more than a file. */
  readonly putBack: (() => void) | null;
  /** Nobody can say what a store's rows are behind it. */
  readonly raw?: boolean;
}

const NOWHERE = Number.POSITIVE_INFINITY;
const WAYS = ['flip', 'flip', 'cut', 'zero', 'remove', 'swap', 'double', 'empty'] as const;
type Way = (typeof WAYS)[number];

export async function doDamage(world: World, rng: Random): Promise<Damage[]> {
  const done: Damage[] = [];
  for (let left = rng.oneIn(4) ? 2 : 1; left > 0; left--) {
    if (world.git && rng.oneIn(3)) {
      const { what, branch } = damageGit(world.dir, rng);
      done.push({ what, from: NOWHERE, fatal: branch, putBack: null });
      continue;
    }
    const raw = world.store === 'sqlite' && rng.oneIn(6);
    done.push(await (world.rows && !raw ? damageRow(world, rng) : damageFile(world, rng)));
    if (raw) break; // Nobody can say what is in the rows of such a file.
  }
  return done;
}

async function damageRow({ rows, task, ...world }: World, rng: Random): Promise<Damage> {
  const all = await rows!.list(task);
  const tables = [...new Set(all.map(({ table }) => table))];
  const kind = rng.pick(tables);
  const row = rng.pick(all.filter(({ table }) => table === kind));
  const way = rng.pick(WAYS);
  const others = all.filter((other) => other.table === row.table && other.id !== row.id);
  const other = way === 'swap' && others.length > 0 ? rng.pick(others) : null;
  if (way === 'remove') await rows!.remove(row);
  else if (other) await rows!.swap(row, other);
  else await rows!.spoil(row, way === 'cut' ? 'cut' : way === 'zero' || way === 'empty' ? 'zero' : 'flip');
  const concerned = [row, ...(other ? [other] : [])].map((one) => concerns({ ...world, task }, one));
  return {
    what: `${way} row ${row.table} ${row.of}${other ? ` with ${other.of}` : ''}`,
    from: Math.min(...concerned.map(({ from }) => from)),
    fatal: concerned.some(({ fatal }) => fatal),
    putBack: null,
  };
}

function concerns(
  { task, blobs, input }: Pick<World, 'task' | 'blobs' | 'input'>,
  { table, of }: Row,
): { from: number; fatal: boolean } {
  if (table === 'journal') return { from: Number(of), fatal: false };
  if (table === 'blobs')
    return {
      from: blobs.get(String(of)) ?? NOWHERE,
      fatal: input.has(String(of)) || String(of).startsWith('inputs/'),
    };
  // The head says what the task is: its code and what it was given are nowhere else. Nothing is read without its key.
  const fatal = of === `tasks/${task}/head` || (table === 'heads' && of === task) || isKey(String(of));
  return { from: NOWHERE, fatal };
}

const isKey = (name: string): boolean => name.startsWith('keys/');

/** Nothing that is a person's, and no lock. */
function filesOf(world: World): string[] {
  const root = join(world.dir, '.vibe-engine');
  const own = /^(?:config\.json|\.gitignore|locks\/|persistence\.db-)/;
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((name) => !own.test(name))
    .sort();
}

function damageFile(world: World, rng: Random): Damage {
  const root = join(world.dir, '.vibe-engine');
  const all = filesOf(world);
  const journal = `tasks/${world.task}/journal.log`;
  const name = world.store === 'json' && rng.oneIn(3) ? journal : rng.pick(all);
  const path = join(root, name);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const way = rng.pick(WAYS);
  const { changed, at } = change(bytes, way, rng, () =>
    readFileSync(join(root, rng.pick(all.filter(like(name))))),
  );
  if (changed === null) rmSync(path, { force: true });
  else writeFileSync(path, changed);
  return {
    what: `${way} file ${name} at ${at} of ${bytes.length}`,
    ...(world.store === 'sqlite' ? { from: 0, fatal: true } : ofFile(world, name, bytes, at)),
    putBack: () => {
      writeFileSync(path, bytes);
      // As when a database is restored from a copy: the log of the damaged one does not belong to it.
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
    },
    ...(world.store === 'sqlite' ? { raw: true } : {}),
  };
}

const like =
  (name: string) =>
  (other: string): boolean =>
    name.split('/').slice(0, -1).join() === other.split('/').slice(0, -1).join();

function change(
  bytes: Buffer,
  way: Way,
  rng: Random,
  another: () => Buffer,
): { changed: Buffer | null; at: number } {
  const at = bytes.length === 0 ? 0 : rng.below(bytes.length);
  const changed = Buffer.from(bytes);
  switch (way) {
    case 'flip':
      for (
        let left = 1 + rng.below(3), place = at;
        left > 0 && place < bytes.length;
        left--, place += rng.below(99)
      )
        changed[place]! ^= 1 << rng.below(8);
      return { changed, at };
    case 'cut':
      return { changed: changed.subarray(0, at), at };
    case 'zero':
      changed.fill(0, at, Math.min(bytes.length, at + 1 + rng.below(2000)));
      return { changed, at };
    case 'remove':
      return { changed: null, at: 0 };
    case 'empty':
      return { changed: changed.subarray(0, 0), at: 0 };
    default: {
      const lines = bytes.toString('latin1').split('\n');
      if (lines.length < 4) return { changed: another(), at: 0 };
      const line = rng.below(lines.length - 2);
      if (way === 'double') lines.splice(line, 0, lines[line]!);
      else [lines[line], lines[line + 1]] = [lines[line + 1]!, lines[line]!];
      const start = lines.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0);
      return { changed: Buffer.from(lines.join('\n'), 'latin1'), at: start };
    }
  }
}

/** Where an entry lies in a sealed log the log does not tell: there anything may be run again. */
function ofFile(world: World, name: string, bytes: Buffer, at: number): Pick<Damage, 'from' | 'fatal'> {
  const { task, blobs, input } = world;
  // What stands in the log of the records outside tasks are keys, too.
  const holdsKeys = isKey(name) || (world.encrypted && name === 'records.log');
  if (name === 'store.json' || holdsKeys) return { from: NOWHERE, fatal: true };
  if (name === `tasks/${task}/journal.log`) return { from: entryAt(bytes, at), fatal: false };
  const [kind, hash] = name.split('/').slice(-2) as [string, string];
  const id = `${kind}/${hash}`;
  return { from: blobs.get(id) ?? NOWHERE, fatal: input.has(id) || kind === 'inputs' };
}

/** The first entry on the line that a byte of a log is on, or on a later one. */
function entryAt(log: Buffer, at: number): number {
  const start = log.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  // The byte before a line ends the one before it.
  const lines = log
    .subarray(at > 0 && log[at - 1] === 10 ? at : start)
    .toString('latin1')
    .split('\n');
  for (const line of lines) {
    const [, end] = /"s":(\d+)/.exec(line) ?? [];
    const count = Number(/"e":(\d+)/.exec(line)?.[1] ?? 0);
    if (end !== undefined && count > 0) return Number(end) - count + 1;
  }
  return NOWHERE;
}
