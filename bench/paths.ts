/**
 * `npm run measure:paths [checkout]`: how many of our files take part in one call, how many writes an edit waits for, and how
 * often a task's own journal is read. Counts, not times: the same on every machine.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ConfigInput, JournalRange, Storage, TaskContext } from '../src/index.ts';
import { openScratch } from './harness/scratch.ts';
import { type Counts, counting } from './paths/counting.ts';

const [given = join(import.meta.dirname, '..'), dying] = process.argv.slice(2);
const checkout = resolve(given);
const load = (path: string) => import(pathToFileURL(join(checkout, 'src', path)).href);
const { defineTask, openEngine } = (await load('index.ts')) as typeof import('../src/index.ts');
const { openJsonStorage } = (await load(
  'storage/json/open.ts',
)) as typeof import('../src/storage/json/open.ts');
const { setIoHook } = (await load('system/io.ts')) as typeof import('../src/system/io.ts');

/** Files each may take part in, and what else it may do. */
const BARS = { step: 10, edit: 30, rollback: 30, resume: 35, writes: 3, reads: 1 } as const;
const EACH = 5;
/** Readable copies are made after a run: they are no part of what follows. */
const COPIES_MS = 500;
const VERBOSE = process.env.VERBOSE !== undefined;

type Triggers = NonNullable<NonNullable<ConfigInput['checkpoints']>['triggers']>;
type During = <T>(call: () => Promise<T>) => Promise<T>;

const definition = (during: During, last: () => Promise<unknown>) =>
  defineTask('paths', async (task: TaskContext) => {
    for (let n = 0; n < EACH; n++) await during(() => task.step(`step ${n}`, () => n));
    for (let n = 0; n < EACH; n++)
      await during(() => task.files.edit('a.txt', (text: string) => `${text}line ${n}\n`));
    await task.step('last', last);
  });

/** `walks` counts how often a journal is read. */
async function openAt(dir: string, during: During, last: () => Promise<unknown>, triggers: Triggers = {}) {
  const storage = await openJsonStorage({ root: join(dir, '.vibe-engine') });
  let walks = 0;
  const isWalk = ({ from, to }: JournalRange): boolean => from === undefined || from !== to;
  const read: Storage['read'] = (task, query = {}) => {
    if (isWalk(query)) walks++;
    return storage.read(task, query);
  };
  const readParts: Storage['readParts'] = (task, query = {}) => {
    if (isWalk(query)) walks++;
    return storage.readParts(task, query);
  };
  const reading = { read, readParts };
  const counted = new Proxy(storage, {
    get: (of, name) => Reflect.get(Object.hasOwn(reading, name) ? reading : of, name),
  });
  const task = definition(during, last);
  const engine = await openEngine({
    project_dir: dir,
    storage: counted,
    config: { checkpoints: { triggers } },
    tasks: [task],
    workspace: true,
    signals: false,
    automatic_cleanup: false,
  });
  const close = async (): Promise<void> => {
    await engine.close();
    await storage.close();
  };
  return { engine, task, walks: () => walks, close };
}

if (dying !== undefined) {
  const { engine, task } = await openAt(dying, plainly, async () => process.kill(process.pid, 'SIGKILL'));
  await (await engine.start(task, undefined, { task_id: 'killed' })).result;
}

function plainly<T>(call: () => Promise<T>): Promise<T> {
  return call();
}

function git(cwd: string, ...words: string[]): void {
  const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'init.defaultBranch=main'];
  const { status, stderr } = spawnSync('git', [...who, ...words], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`);
}

function commit(dir: string, name: string, text: string): void {
  writeFileSync(join(dir, name), text);
  git(dir, 'add', name);
  git(dir, 'commit', '-qm', name);
}

/** A clone, and how its upstream moves. */
function repository(at: string): { dir: string; drift(): void } {
  const [upstream, dir] = [join(at, 'upstream'), join(at, 'work')];
  mkdirSync(upstream, { recursive: true });
  git(upstream, 'init', '-q');
  commit(upstream, 'a.txt', 'one\n');
  git(at, 'clone', '-q', upstream, dir);
  return { dir, drift: () => commit(upstream, 'b.txt', 'theirs\n') };
}

const count = await counting(join(checkout, 'src'), setIoHook);
const scratch = openScratch();
const rows: string[][] = [];

function tell(what: string, found: number | Counts, bar: number | null): void {
  const files = typeof found === 'number' ? null : found.files;
  const inEngine = files?.filter((file) => file.startsWith('engine/')).length;
  rows.push([what, `${files?.length ?? found}`, `${inEngine ?? ''}`, `${bar ?? ''}`]);
  if (typeof found === 'object' && VERBOSE) console.log([what, ...found.files, ...found.writes].join('\n  '));
}

/** The steps and edits of one task, which then fails; the fewest of each, since timers take part now and then. */
async function live(name: string, triggers: Triggers) {
  const { dir } = repository(scratch.fresh(name));
  const all: Counts[] = [];
  const during: During = async (call) => {
    const { result, ...counts } = await count(call);
    all.push(counts);
    return result;
  };
  const at = await openAt(dir, during, () => Promise.reject(new Error('as it should')), triggers);
  const { id, outcome } = await at.engine.start(at.task, undefined);
  await outcome;
  if (all.length !== 2 * EACH) throw new Error(`Not all was measured: ${JSON.stringify(await outcome)}`);
  const fewest = (of: readonly Counts[], kind: keyof Counts): Counts =>
    of.reduce((a, b) => (b[kind].length < a[kind].length ? b : a));
  const [steps, edits] = [all.slice(0, EACH), all.slice(EACH)];
  const edit = fewest(edits, 'files');
  const { syncs, writes } = fewest(edits, 'syncs');
  return { ...at, id, step: fewest(steps, 'files'), edit: { ...edit, syncs, writes } };
}

async function measureLive(): Promise<void> {
  const plain = await live('plain', { after_step: 'off' });
  await plain.close();
  tell('a task.step', plain.step, BARS.step);
  const { step, edit, engine, id, walks, close } = await live('live', {});
  tell('the same, with its checkpoint', step, null);
  tell('a files.edit', edit, BARS.edit);
  tell('  its durable writes', edit.writes.length, BARS.writes);
  tell('  its syncs, of directories too', edit.syncs.length, null);
  const [, first] = await engine.checkpoints.listCheckpoints(id);
  await setTimeout(COPIES_MS);
  const before = walks();
  tell('a rollback', await count(() => engine.rollback(first!.id)), BARS.rollback);
  tell('  walks of its own journal', walks() - before, BARS.reads);
  await close();
}

async function measureKilled(): Promise<void> {
  const { dir, drift } = repository(scratch.fresh('killed'));
  const child = spawnSync(process.execPath, [import.meta.filename, checkout, dir], { encoding: 'utf8' });
  if (child.signal !== 'SIGKILL') throw new Error(`It was not killed: ${child.stderr}`);
  drift();
  writeFileSync(join(dir, 'a.txt'), 'theirs\n');
  const { engine, walks, close } = await openAt(dir, plainly, async () => {});
  let recovered = 0;
  engine.on('recovery', () => {
    recovered = walks();
  });
  const choices = { on_modified: 'use_current', on_upstream: 'ignore' } as const;
  const resumed = await count(() => engine.resume('killed', choices));
  tell('a resume after a kill, with drift', resumed, BARS.resume);
  tell('  walks of its own journal', recovered, BARS.reads);
  await resumed.result.outcome;
  await close();
}

try {
  await measureLive();
  await measureKilled();
} finally {
  scratch.remove();
}
for (const [what, found, inEngine, bar] of [['', 'files', 'of them in engine', 'at most'], ...rows])
  console.log(what!.padEnd(36), found!.padStart(6), inEngine!.padStart(18), bar!.padStart(8));
