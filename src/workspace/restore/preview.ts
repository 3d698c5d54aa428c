/** What a restore would do to each file, by the code that does it: planned, decided and merged, and nothing written. */
import { answering, WorkspaceError } from '../../errors.ts';
import { entryAt, sameEntry, type Tree, type TreeEntry } from '../tree/tree.ts';
import {
  assertDecidable,
  canBeLeft,
  choiceFor,
  decideAll,
  FILE_OPTIONS,
  type RestoreChoices,
} from './decide.ts';
import {
  byTaskAndOthers,
  detailsOf,
  type FileDetails,
  type FileVersion,
  MOST_OF_ALL,
  NO_DETAILS,
} from './file-details.ts';
import { withoutLinksOut } from './links.ts';
import { type BackConflict, isMergedBack, type MergedBack, mergedAs, type NotMerged } from './merge-back.ts';
import type { PlanItem } from './plan.ts';
import { notCapturedIn, planNow, type RestoreOptions, type RestoreServices } from './restore.ts';
import { withSafeBits } from './safe-bits.ts';
import { notCaptured } from './uncaptured.ts';

export interface PreviewOptions extends RestoreOptions {
  /** With the contents of the files, and of which ones; default: none. */
  readonly details?: boolean | readonly string[];
  /** How many lines around a change are shown; default: 3. */
  readonly context?: number;
  /** The versions of a file from the target to a snapshot of now, and who made each; default: of the task, and of others. */
  readonly versions?: (path: string, now: string) => Promise<readonly FileVersion[]>;
}

/** An item of a plan before any question is answered. */
export interface PreviewItem extends PlanItem, FileDetails {
  /** For a file that others changed, too: whether both sides merge without asking. */
  readonly merges?: boolean;
  /** `ask`: others changed it, too, and nothing says what to do. `conflict`: the same, and it does not merge. */
  readonly outcome: 'clean' | 'ask' | 'conflict';
  /** What can be chosen for it. */
  readonly choices: readonly string[];
  /** What was chosen, for it or for all such files. */
  readonly choice: string | null;
  /** Loses nobody's work; null where there is no question. */
  readonly recommended: string | null;
  /** What is done to it as things are chosen; null where that is open, or nothing at all would be done. */
  readonly result: 'put' | 'remove' | 'keep' | null;
  /** As it would be: as chosen, or else as recommended. */
  readonly wanted: TreeEntry | null;
}

export async function previewRestore(
  services: RestoreServices,
  options: PreviewOptions,
): Promise<PreviewItem[]> {
  const planned = await planNow(services, options);
  const { plan, before, checkpoint } = planned;
  assertDecidable(plan, options);
  const { details = false } = options;
  const named = typeof details === 'boolean' ? null : new Set(details);
  let room = details === false ? 0 : MOST_OF_ALL;
  let files = MOST_FILES;
  const show = async ({ item, bytes, conflict }: Seen, left: number) => {
    const target = entryAt(checkpoint, item.path);
    const known = (await options.versions?.(item.path, before.id)) ?? [];
    const isWhole =
      known.length > 0 && sameEntry(known[0]!.entry, target) && sameEntry(known.at(-1)!.entry, item.current);
    const versions = isWhole ? known : byTaskAndOthers(item, target);
    const file = { ...item, target, versions, bytes };
    // What is gone is not needed for the restore, or that says so.
    const shown = await detailsOf(services, file, left, options.context).catch(answering(isGone, NOTHING));
    return { ...shown, conflict: shown.too_large ? null : conflict };
  };
  const items: PreviewItem[] = [];
  for (const item of plan) {
    const seen = await previewFile(services, options, item, [checkpoint, before.tree]);
    const isShown = named ? named.has(item.path) : details === true;
    if (isShown) files -= 1;
    const { size, ...shown } = isShown
      ? await show(seen, named ? MOST_OF_ALL : files < 0 ? 0 : room)
      : NOTHING;
    room -= size;
    items.push({ ...seen.item, ...shown });
  }
  const known = new Set(plan.map(({ path }) => path));
  for (const path of await notCapturedIn(services, options, items, planned))
    if (!known.has(path)) items.push({ ...settled(notCaptured(path)), ...NO_DETAILS });
  return items;
}

const NOTHING = { ...NO_DETAILS, size: 0 };
/** With their contents, where none are named. */
const MOST_FILES = 200;

function isGone(error: unknown): boolean {
  return error instanceof WorkspaceError;
}

interface Seen {
  readonly item: Omit<PreviewItem, keyof FileDetails>;
  /** The content of `wanted`, where nothing has it. */
  readonly bytes: Uint8Array | null;
  readonly conflict: BackConflict | null;
}

/** One file: decided by what was chosen, or else by what is recommended, and merged in memory. */
async function previewFile(
  services: RestoreServices,
  options: PreviewOptions,
  item: PlanItem,
  trees: readonly Tree[],
): Promise<Seen> {
  const { on_modified, on_deleted, files, hunks, contents, may_leave } = options;
  const choices = {
    ...(on_modified && { on_modified }),
    ...(on_deleted && { on_deleted }),
    ...(files && { files }),
    ...(hunks && { hunks }),
    ...(contents && { contents }),
    ...(may_leave && { may_leave }),
  };
  if (item.action !== 'ask') {
    const own = files?.[item.path] ?? null;
    const [decided] = await decidedOr(item, choices, async () => null);
    const possible = canBeLeft(item, choices) ? { choices: FILE_OPTIONS.own, choice: own } : {};
    if (!decided)
      return { item: { ...settled(item), ...possible, result: null }, bytes: null, conflict: null };
    return {
      item: { ...settled(item), ...possible, result: resultOf(decided), wanted: wantedOf(decided) },
      bytes: null,
      conflict: null,
    };
  }
  const kind = item.why as 'modified' | 'deleted';
  const tried = kind === 'modified' ? await wouldMerge(services, item, options) : null;
  const merged = tried && isMergedBack(tried) ? tried : null;
  const merge = async (): Promise<TreeEntry | null> => merged?.entry ?? null;
  const chosen = choiceFor(item.path, kind, choices);
  const recommended = kind === 'deleted' ? 'skip' : merged ? 'merge' : 'abort';
  const [decided] = withoutLinksOut(await decidedOr(item, choices, merge), ...trees);
  const shown =
    decided ??
    (recommended === 'abort'
      ? null
      : (await decidedOr(item, { files: { [item.path]: recommended } }, merge))[0]);
  const offered =
    kind === 'deleted' ? FILE_OPTIONS.deleted : merged ? FILE_OPTIONS.modified : FILE_OPTIONS.conflict;
  const isMerged = shown?.action === 'put' && shown.target === merged?.entry;
  return {
    item: {
      ...item,
      ...(kind === 'modified' ? { merges: merged !== null } : {}),
      outcome: decided ? 'clean' : kind === 'modified' && !merged ? 'conflict' : 'ask',
      choices: offered,
      choice: chosen === 'ask' ? null : chosen,
      recommended,
      result: decided ? resultOf(decided) : null,
      wanted: shown ? wantedOf(shown) : null,
    },
    bytes: isMerged ? merged!.bytes : null,
    conflict: tried && !isMergedBack(tried) ? tried.conflict : null,
  };
}

/** Nothing where nobody has decided, or all of it would be left undone. */
async function decidedOr(
  item: PlanItem,
  choices: RestoreChoices,
  merge: () => Promise<TreeEntry | null>,
): Promise<PlanItem[]> {
  try {
    return await decideAll([item], choices, merge);
  } catch (error) {
    const isOpen =
      error instanceof WorkspaceError && ['RESTORE_UNANSWERED', 'RESTORE_ABORTED'].includes(error.code);
    if (isOpen) return [];
    throw error;
  }
}

function settled(item: PlanItem): Omit<PreviewItem, keyof FileDetails> {
  const nothing = { choices: [], choice: null, recommended: null } as const;
  return { ...item, ...nothing, outcome: 'clean', result: resultOf(item), wanted: wantedOf(item) };
}

function resultOf({ action }: PlanItem): 'put' | 'remove' | 'keep' {
  return action as 'put' | 'remove' | 'keep';
}

function wantedOf({ action, current, target }: PlanItem): TreeEntry | null {
  return action === 'keep' ? current : withSafeBits(current, target);
}

/** Null where it does not merge, or its content is gone. */
async function wouldMerge(
  services: RestoreServices,
  item: PlanItem,
  options: PreviewOptions,
): Promise<MergedBack | NotMerged | null> {
  if (item.doubtful && !options.contents?.[item.path]) return null;
  try {
    return await mergedAs(services, item, options, true);
  } catch (error) {
    if (error instanceof WorkspaceError) return null;
    throw error;
  }
}
