/** Answers to the questions of a plan: from settings, per file, or by asking the user. */
import { FILE_CHOICES } from '../../config/schema.ts';
import { InvalidInputError, StaleWriteError, WorkspaceError } from '../../errors.ts';
import type { Decisions } from '../../merge/decide.ts';
import { phrase } from '../../phrase.ts';
import type { TreeEntry } from '../tree/tree.ts';
import type { PlanItem } from './plan.ts';

type ModifiedChoice = (typeof FILE_CHOICES.modified)[number];
type DeletedChoice = (typeof FILE_CHOICES.deleted)[number];

export interface FileQuestion {
  readonly path: string;
  /** `conflict`: it was to be merged, and both sides changed the same lines, or it is not known who changed which. */
  readonly kind: 'modified' | 'deleted' | 'conflict';
  readonly current: TreeEntry | null;
  readonly checkpoint: TreeEntry | null;
  readonly options: readonly string[];
  /** Tools run what such a file says. */
  readonly runs: boolean;
  /** Whether the task changed it, or others, is not known. */
  readonly doubtful?: boolean;
}

export interface RestoreChoices {
  /** For all files that others modified; default: `ask`. */
  readonly on_modified?: ModifiedChoice | 'ask';
  /** For all files that others deleted; default: `ask`. */
  readonly on_deleted?: DeletedChoice | 'ask';
  /** For one file, by path. */
  readonly files?: Readonly<Record<string, ModifiedChoice | DeletedChoice>>;
  /** For one file whose lines others changed, too: about each conflict, by its number. As `merge`. */
  readonly hunks?: Readonly<Record<string, Decisions>>;
  /** The same file as somebody merged it. */
  readonly contents?: Readonly<Record<string, Uint8Array>>;
  /** SHA-256 of files as they were when somebody decided about them: STALE_WRITE, and nothing done, if one is different. */
  readonly expect_files?: Readonly<Record<string, string>>;
  /** A file that nobody else changed may be left as it is, by its own choice; default: no. */
  readonly may_leave?: boolean;
  /** Asks the user; returns one of the options. */
  readonly ask?: (question: FileQuestion) => Promise<string>;
}

export const FILE_OPTIONS = {
  ...FILE_CHOICES,
  conflict: ['use_current', 'use_checkpoint', 'abort'],
  /** Nobody else changed it. */
  own: ['use_checkpoint', 'use_current'],
} as const;

/** What becomes of a file that was asked about. */
type Verdict = 'keep' | 'checkpoint' | 'merge';

/** The merge returns null if both sides changed the same lines. It takes what was decided about single lines into account. */
export async function decideAll(
  items: readonly PlanItem[],
  choices: RestoreChoices,
  merge: (item: PlanItem) => Promise<TreeEntry | null>,
): Promise<PlanItem[]> {
  const asked = items.filter(({ action }) => action === 'ask');
  const open = asked.filter(
    ({ path, why }) => !choices.ask && choiceFor(path, why as 'modified', choices) === 'ask',
  );
  if (open.length > 0)
    throw unanswered(
      open.map(({ path }) => path),
      open[0]!.doubtful,
    );
  const decided: PlanItem[] = [];
  for (const item of items)
    decided.push(item.action === 'ask' ? await decideOne(item, choices, merge) : orLeft(item, choices));
  return decided;
}

/** Whether a choice of its own can leave it as it is. */
export function canBeLeft(
  { action, current, target }: PlanItem,
  { may_leave = false }: RestoreChoices,
): boolean {
  const isDirectory = current?.kind === 'dir' || target?.kind === 'dir';
  return may_leave && !isDirectory && (action === 'put' || action === 'remove');
}

/** Directories follow the files in them. */
function orLeft(item: PlanItem, choices: RestoreChoices): PlanItem {
  const chosen = choices.files?.[item.path];
  if (chosen === undefined || !canBeLeft(item, choices)) return item;
  if (verdictOf(item.path, chosen) !== 'keep') return item;
  return { ...item, action: 'keep', target: item.current, why: null };
}

async function decideOne(
  item: PlanItem,
  choices: RestoreChoices,
  merge: (item: PlanItem) => Promise<TreeEntry | null>,
): Promise<PlanItem> {
  const keep: PlanItem = { ...item, action: 'keep', target: item.current };
  const back: PlanItem = { ...item, action: item.target === null ? 'remove' : 'put' };
  const verdict = verdictOf(item.path, await answer(item, item.why as 'modified' | 'deleted', choices));
  if (verdict !== 'merge') return verdict === 'keep' ? keep : back;
  // Removing it could lose changes of others.
  const merged = item.doubtful && !choices.contents?.[item.path] ? null : await merge(item);
  if (merged) return { ...item, action: 'put', target: merged };
  if (!choices.ask) throw unanswered([item.path], item.doubtful);
  return verdictOf(item.path, await answer(item, 'conflict', choices)) === 'keep' ? keep : back;
}

async function answer(item: PlanItem, kind: FileQuestion['kind'], choices: RestoreChoices): Promise<string> {
  const chosen = kind === 'conflict' ? 'ask' : choiceFor(item.path, kind, choices);
  if (chosen !== 'ask') return chosen;
  const { path, current, target, runs, doubtful } = item;
  // What is not known cannot be merged.
  const options: readonly string[] = FILE_OPTIONS[doubtful && kind === 'modified' ? 'conflict' : kind];
  const given = await choices.ask!({ path, kind, current, checkpoint: target, options, runs, doubtful });
  if (options.includes(given)) return given;
  throw unanswered([path], doubtful);
}

/** What was chosen for a file; `ask` where nothing was. */
export function choiceFor(path: string, kind: 'modified' | 'deleted', choices: RestoreChoices): string {
  const own = choices.files?.[path];
  const options: readonly string[] = FILE_OPTIONS[kind];
  if (own === undefined && kind === 'modified' && isDecided(path, choices)) return 'merge';
  if (own !== undefined && options.includes(own)) return own;
  const others: readonly string[] = FILE_OPTIONS[kind === 'deleted' ? 'modified' : 'deleted'];
  if (own !== undefined && !others.includes(own))
    throw noChoice(phrase`The choice for ${path}`, own, options);
  const all = (kind === 'deleted' ? choices.on_deleted : choices.on_modified) ?? 'ask';
  if (all !== 'ask' && !options.includes(all)) throw noChoice(`on_${kind}`, all, options);
  return all;
}

function isDecided(path: string, { hunks, contents }: RestoreChoices): boolean {
  return hunks?.[path] !== undefined || contents?.[path] !== undefined;
}

/** What was decided about lines of a file belongs to a file that others changed, as it was then. */
export function assertDecidable(items: readonly PlanItem[], choices: RestoreChoices): void {
  const { hunks = {}, contents = {}, files = {}, expect_files = {} } = choices;
  const known = new Map(items.map((item) => [item.path, item]));
  for (const path of [...Object.keys(hunks), ...Object.keys(contents)]) {
    const { action, why, doubtful = false } = known.get(path) ?? {};
    if (action !== 'ask' || why !== 'modified' || (doubtful && hunks[path])) throw noConflict(path);
    if ((hunks[path] && contents[path]) || (files[path] !== undefined && files[path] !== 'merge'))
      throw decidedTwice(path);
  }
  for (const [path, expected] of Object.entries(expect_files)) {
    const current = known.get(path)?.current;
    if (current?.kind !== 'file' || current.hash !== expected) throw changedSince(path, expected);
  }
}

function noConflict(path: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`There are no lines of ${path} to decide about.`, {
    data: { path },
    hint: phrase`Nothing was changed. Look at the preview again (--dry-run): it names the files that others changed, too.`,
  });
}

function decidedTwice(path: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`There are two decisions about ${path}.`, {
    data: { path },
    hint: phrase`Nothing was changed. Use one of --file, --hunk and --content for a file.`,
  });
}

function changedSince(path: string, expected: string): StaleWriteError {
  return new StaleWriteError(phrase`${path} was changed after this was decided.`, {
    data: { path, expected },
    hint: phrase`Nothing was changed. Look at the preview again (--dry-run), and decide again.`,
  });
}

/** A typo must not decide about a file. */
function noChoice(name: string, given: string, options: readonly string[]): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`${name} cannot be ${JSON.stringify(given)}.`, {
    data: { name, given, options },
    hint: phrase`Nothing was changed. Choose one of: ${options.join(', ')}.`,
  });
}

function verdictOf(path: string, choice: string): Verdict {
  if (choice === 'abort') {
    throw new WorkspaceError('RESTORE_ABORTED', phrase`The restore was aborted because of ${path}.`, {
      data: { path },
      hint: phrase`Nothing was changed. Resolve the conflict in the file, or choose differently.`,
    });
  }
  if (choice === 'merge') return 'merge';
  return choice === 'use_current' || choice === 'skip' ? 'keep' : 'checkpoint';
}

/** `doubtful`: it may as well have been the task itself. */
export function unanswered(files: readonly string[], doubtful = false): WorkspaceError {
  return new WorkspaceError(
    'RESTORE_UNANSWERED',
    doubtful
      ? phrase`Whether the task or others changed ${files[0]}${files.length > 1 ? ` and ${files.length - 1} more` : ''} is not known, and nothing says which version to keep.`
      : phrase`Others changed ${files[0]}${files.length > 1 ? ` and ${files.length - 1} more` : ''}, and nothing says which version to keep.`,
    {
      data: { files },
      hint: phrase`Nothing was changed. Say what to do with --on-modified and --on-deleted, for all files or for one (--on-modified ${files[0]}=use_current), or run it in a terminal to be asked.`,
    },
  );
}

/** Both changed the same lines of a file that was to be merged when its task is resumed. */
export function mergeConflict(path: string, copy: string): WorkspaceError {
  return new WorkspaceError(
    'FILE_CONFLICT',
    phrase`The task and others changed the same lines of ${path}, and nothing says which version to keep.`,
    {
      data: { path, copy },
      hint: phrase`No file was changed. Both versions are in ${copy}. Choose with --on-modified ${path}=use_current or use_checkpoint, or resolve the conflict in the file and choose use_current.`,
    },
  );
}
