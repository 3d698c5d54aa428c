/**
 * One random round: a tree with odd names, links, modes and files that no snapshot has; a task that changes it by `task.files`
 * and by commands, a person who changes it in between; then undo and redo. The same seed and number give the same round.
 */
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskContext } from '../../src/engine/api/context.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { type Random, random } from '../crash/random.ts';
import { importFrom } from '../crash/stores.ts';
import { foretold } from '../stories/foretold.ts';
import { type Files, git, type Thing } from '../workspace/ground.ts';
import { leavesIn, perform } from '../workspace/stories.ts';
import { createLedger, judgeRedo, judgeUndo, type Who } from './judge.ts';

export interface RoundOptions {
  readonly src: string;
  readonly seed: number;
  readonly number: number;
  readonly dir: string;
}

export interface Played {
  readonly events: readonly string[];
  readonly problems: readonly string[];
}

const PLAIN = [
  'a.txt',
  'b.txt',
  'src/c.ts',
  'src/deep/d.ts',
  '-dash',
  'with space',
  'ünï/cödé',
  'dots...',
  '.hidden',
];
/** Ignored, a secret by its name, excluded; and what grows too large. */
const UNCAPTURED = ['some.log', 'dist/out.js', '.env', 'keys/server.pem', 'private/notes.txt', 'large.bin'];
/** No snapshot can have these: commands and people alone use them. */
const UNNAMEABLE = ['new\nline', 'back\\slash', '?61', 'odd\ndir/inside', 'tab\there'];
const TARGETS = ['a.txt', 'nowhere', 'src', '../outside', '/etc/hostname', 'loop/x', '.'];
const MODES = [0o644, 0o600, 0o755, 0o444];
const TOO_LARGE = 1024 * 1024 + 1;

export async function playRound({ src, seed, number, dir }: RoundOptions): Promise<Played> {
  const rng = random(seed, 'restore', number);
  const events: string[] = [];
  const problems: string[] = [];
  let marks = 0;
  const root = join(dir, 'project');
  mkdirSync(root, { recursive: true });
  const mark = (who: Who): string => `${who} ${number}.${marks++}\n`;
  const thing = (who: Who): Thing =>
    rng.oneIn(7)
      ? { kind: 'symlink', target: rng.pick(TARGETS) }
      : { kind: 'file', mode: rng.pick(MODES), bytes: mark(who).repeat(1 + rng.below(3)) };
  const put = (who: Who, path: string, what: Thing | null): void => {
    perform(root, { path, thing: what });
    const isLarge = path === 'large.bin' && what?.kind === 'file' && rng.oneIn(2);
    if (isLarge && statSync(join(root, path)).isFile()) truncateSync(join(root, path), TOO_LARGE);
    events.push(`${who} ${what ? `puts ${what.kind}` : 'removes'} ${JSON.stringify(path)}`);
  };

  for (const path of [...PLAIN, ...UNCAPTURED, ...UNNAMEABLE])
    if (rng.oneIn(2)) put('person', path, thing('person'));
  perform(root, { path: '.gitignore', thing: { kind: 'file', mode: 0o644, bytes: '*.log\ndist/\n' } });
  if (rng.oneIn(4)) {
    git(root, 'init', '-q');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'start');
    events.push('tracked by git');
  }
  const ledger = createLedger(leavesIn(root));
  const acts = (who: Who, among: readonly string[]): void => {
    for (let n = 1 + rng.below(3); n > 0; n--) put(who, rng.pick(among), rng.oneIn(4) ? null : thing(who));
    ledger.note(who, leavesIn(root));
  };

  const { defineTask } = await importFrom<typeof import('../../src/engine/api/definition.ts')>(
    src,
    'engine/api/definition.ts',
  );
  const { openEngine } = await importFrom<typeof import('../../src/engine/engine.ts')>(
    src,
    'engine/engine.ts',
  );
  const watch = rng.oneIn(2);
  const open = (): Promise<Engine> =>
    openEngine({
      ...{ project_dir: root, signals: false, automatic_cleanup: false },
      workspace: { watch, exclude: ['private/'], max_file_mb: 1 },
    });
  const body = async (task: TaskContext): Promise<void> => {
    for (let n = 0, count = 1 + rng.below(4); n < count; n++) {
      if (rng.oneIn(2)) await byFiles(task, rng, mark, events);
      else await task.step(`command ${n}`, () => acts('task', ALL), { dangerous: 'shell_command' });
      ledger.note('task', leavesIn(root));
      if (rng.oneIn(3)) acts('person', ALL);
    }
  };
  let engine = await open();
  try {
    const { id, outcome } = await engine.start(defineTask('round', body), undefined);
    events.push(`task ${(await outcome).status}`);
    if (rng.oneIn(2)) {
      await engine.close();
      engine = await open();
    }
    if (rng.oneIn(2)) acts('person', ALL);
    const before = leavesIn(root);
    let named: string[] = [];
    const choices = { on_modified: 'use_current', on_deleted: 'skip' } as const;
    const told = foretold(root, (await engine.previewUndo(id, { ...choices, details: true })).plan);
    const undo = await engine
      .undo(id, choices)
      .catch((error: { code?: string; data?: { kept?: { path: string }[] } }) => {
        if (error.code !== 'NOTHING_TO_UNDO') throw error;
        named = (error.data?.kept ?? []).map(({ path }) => path);
        return null;
      });
    // Where everything was left as it is, there is nothing to bring back.
    if (undo?.done) {
      const after = leavesIn(root);
      problems.push(
        ...told.judge().filter((problem) => !namesIn(undo.notes).some((path) => problem.includes(path))),
      );
      problems.push(...judgeUndo(ledger, before, after, namesIn(undo.notes)));
      const again = foretold(root, (await engine.previewRedo(id, { ...choices, details: true })).plan);
      const redo = await engine.redo(id, choices);
      const late = namesIn(redo.notes ?? { left: [], displaced: [] });
      problems.push(...again.judge().filter((problem) => !late.some((path) => problem.includes(path))));
      problems.push(
        ...judgeRedo(before, after, leavesIn(root), namesIn(redo.notes ?? { left: [], displaced: [] })),
      );
      events.push(
        `undo left ${JSON.stringify(undo.notes.left)}, redo left ${JSON.stringify(redo.notes?.left)}`,
      );
    } else {
      const told = undo ? namesIn(undo.notes) : named;
      problems.push(...judgeUndo(ledger, before, leavesIn(root), told));
    }
  } catch (error) {
    problems.push(`${(error as Error).stack}`);
  } finally {
    await engine.close();
  }
  if (problems.length === 0) rmSync(dir, { recursive: true, force: true });
  return { events, problems };
}

const ALL = [...PLAIN, ...UNCAPTURED, ...UNNAMEABLE];

/** Refused where it is no file, or cannot be kept: then nothing happened. */
async function byFiles(
  { files }: TaskContext,
  rng: Random,
  mark: (who: Who) => string,
  events: string[],
): Promise<void> {
  const path = rng.pick([...PLAIN, ...UNCAPTURED]);
  const verb = rng.pick(['write', 'edit', 'delete'] as const);
  try {
    if (verb === 'write') await files.write(path, mark('task'));
    else if (verb === 'edit') await files.edit(path, (text) => `${text}${mark('task')}`);
    else await files.delete(path);
    events.push(`task.files.${verb} ${path}`);
  } catch (error) {
    const { code } = error as { code?: string };
    if (!['USAGE', 'WORKSPACE_UNSAFE', 'NO_PERMISSION', 'FILE_CONFLICT'].includes(code ?? '')) throw error;
    events.push(`task.files.${verb} ${path}: refused, ${code}`);
  }
}

function namesIn(notes: {
  left: readonly { path: string }[];
  displaced: readonly { path: string }[];
}): string[] {
  return [...notes.left, ...notes.displaced].map(({ path }) => path);
}

export type { Files };
