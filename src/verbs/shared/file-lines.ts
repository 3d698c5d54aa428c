/**
 * The lines about files before and after they are restored: above all about those that are not, or only after a question.
 */

import { nearest } from '../../config/nearest.ts';
import type { FileChoices } from '../../engine/files/choices.ts';
import type { FileNotes, PlannedFile } from '../../engine/files/workspace-link.ts';
import { InvalidInputError } from '../../errors.ts';
import { firstNames } from '../../system/shortened.ts';
import { tidy } from '../format/width.ts';
import type { Call } from '../kit/verb.ts';
import type { TextKey } from '../text/catalogue.ts';
import { conflictLines, shownConflict } from './conflict-hunks.ts';
import { counts, hunkLines } from './hunks.ts';

type Teller = Pick<Call, 'say' | 'paint'>;

/** A choice for a file that is not concerned would do nothing: it is a typo. */
export function refuseUnplanned(
  { files = {} }: FileChoices,
  { plan, expect }: { readonly plan: readonly PlannedFile[] | null; readonly expect: number },
  { say, options }: Pick<Call<object, { readonly expect: number | undefined }>, 'say' | 'options'>,
): void {
  // Where the task has moved on, the engine says so.
  if (options.expect !== undefined && options.expect !== expect) return;
  const known = plan?.map(({ path }) => path) ?? [];
  const unknown = Object.keys(files).find((path) => !known.includes(path));
  if (unknown === undefined) return;
  const near = nearest(unknown, known);
  throw new InvalidInputError('USAGE', say('rollback.not_planned', { path: unknown }), {
    data: { path: unknown, nearest: near ?? null },
    hint:
      (near === undefined ? '' : say('usage.nearest', { nearest: near })) + say('rollback.not_planned_hint'),
  });
}

interface Shown {
  readonly patch: boolean;
  readonly short: (task: string) => string;
  /** The changes of another task are brought here. */
  readonly taking?: boolean;
}

/** What goes and what stays in each file; `patch`: with the lines. */
export function detailLines(
  plan: readonly PlannedFile[] | null,
  call: Teller,
  { patch, short, taking = false }: Shown,
): string[] {
  const { say, paint } = call;
  const shown = plan?.filter(({ own, others }) => (own?.length ?? 0) + (others?.length ?? 0) > 0) ?? [];
  return shown.flatMap(({ path, own, others, outcome, choices, doubtful, conflict }) => {
    const lines = (kind: 'add' | 'remove', hunks = own): number =>
      hunks?.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0) ?? 0;
    const change = counts(lines('add'), lines('remove'), call);
    const stay = others?.length ?? 0;
    const open =
      outcome === 'clean'
        ? []
        : [
            paint.warn(
              say(`rollback.detail.${doubtful ? 'doubtful' : outcome}`, { choices: choices.join(', ') }),
            ),
          ];
    const about = [
      ...(change === '' ? [] : [change]),
      ...(stay > 0 ? [say('rollback.detail_stays', { count: stay })] : []),
      ...open,
    ];
    return [
      `${tidy(path)}  ${about.join(' · ')}`,
      ...(patch && conflict ? linesOfConflict(path, conflict, call, taking) : []),
      ...(patch && !conflict ? hunkLines(own ?? [], call, short) : []),
      ...(patch && !conflict && stay > 0
        ? [say('rollback.detail_staying'), ...hunkLines(others!, call, short)]
        : []),
    ].map((line, at) => (at === 0 ? line : `  ${line}`));
  });
}

/** Each place with its three versions, and how to decide about it. */
function linesOfConflict(
  path: string,
  conflict: NonNullable<PlannedFile['conflict']>,
  call: Teller,
  taking: boolean,
): string[] {
  const { say } = call;
  const labels = {
    theirs: say('rollback.lines.yours'),
    ours: say(taking ? 'take.lines.taken' : 'rollback.lines.before'),
    base: say(taking ? 'take.lines.base' : 'rollback.lines.task'),
  };
  const { hunks } = shownConflict(conflict);
  if (hunks.length === 0) return [];
  const option = `--hunk ${path}:${conflict.first}=yours`;
  return [
    ...hunks.flatMap((hunk) => conflictLines(hunk, labels, call)),
    say(taking ? 'take.lines.command' : 'rollback.lines.command', { option }),
  ];
}

/** Null without a workspace. `choices` are those given in advance. */
export function plannedLines(
  plan: readonly PlannedFile[] | null,
  { say, paint }: Teller,
  { on_modified, on_deleted, files: single }: FileChoices = {},
): string[] {
  if (plan === null) return [];
  const line = (key: TextKey, files: readonly PlannedFile[]): string[] =>
    files.length === 0
      ? []
      : [say(key, { count: files.length, names: named(files.map(({ path }) => path)) })];
  const isLeft = ({ action, result }: PlannedFile): boolean => action !== 'ask' && result === 'keep';
  const of = (kind: PlannedFile['action']) => plan.filter((file) => file.action === kind && !isLeft(file));
  const asked = (kind: 'modified' | 'deleted') => of('ask').filter(({ why }) => why === kind);
  const chosen = (kind: 'modified' | 'deleted', all: string | undefined) =>
    [...Map.groupBy(asked(kind), ({ path, choice }) => single?.[path] ?? all ?? choice ?? undefined)].flatMap(
      ([choice, files]) => whatBecomes(files, choice),
    );
  const given = [...chosen('modified', on_modified), ...chosen('deleted', on_deleted)];
  const kept = plan.filter((file) => isLeft(file) && file.why !== 'already');
  const run = plan.filter((file) => file.runs && !isLeft(file));
  const changing = [...line('rollback.files', of('put')), ...line('rollback.files_removed', of('remove'))];
  return [
    ...(changing.length + given.length === 0 ? [say('rollback.no_files')] : changing),
    ...given.flatMap(([key, files]) => line(key, files)).map(paint.warn),
    ...kept.map(({ path, why }) => say('rollback.file_left', { path, why: reason(why ?? 'chosen', say) })),
    ...line('rollback.files_run', run).map(paint.warn),
  ];
}

type Became = readonly [TextKey, readonly PlannedFile[]];

/** For files that others changed, too, or may have: asked about, or as chosen in advance. */
function whatBecomes(files: readonly PlannedFile[], choice: string | undefined): Became[] {
  if (files.length === 0) return [];
  const mergeable = files.filter(({ merges }) => merges);
  const unmerged = files.filter(({ merges }) => !merges);
  const [sure, doubtful] = [files.filter((one) => !one.doubtful), files.filter((one) => one.doubtful)];
  switch (choice) {
    case 'use_current':
    case 'skip':
      return [
        ['rollback.files_current', sure],
        ['rollback.doubtful_current', doubtful],
      ];
    case 'use_checkpoint':
    case 'restore':
      return [
        ['rollback.files_all_back', sure],
        ['rollback.doubtful_all_back', doubtful],
      ];
    case 'abort':
      return [
        ['rollback.files_abort', sure],
        ['rollback.doubtful_abort', doubtful],
      ];
    case 'merge':
      return [
        ['rollback.files_merged', mergeable],
        ['rollback.files_no_merge', unmerged],
      ];
    default:
      return [
        ['rollback.files_asked', sure],
        ['rollback.doubtful_asked', doubtful],
        ['rollback.files_mergeable', mergeable],
      ];
  }
}

export function noteLines({ left, displaced, review }: FileNotes, { say, paint }: Teller): string[] {
  return [
    ...left.map(({ path, why }) => say('rollback.file_left', { path, why: reason(why, say) })),
    ...displaced.map(({ path, blob }) => say('rollback.file_displaced', { path, blob })),
    ...(review.length > 0 ? [say('rollback.files_review', { names: named(review) })] : []),
  ].map(paint.warn);
}

const MOST_NAMES = 8;

/** The first of them. */
export function named(names: readonly string[]): string {
  return firstNames(names, MOST_NAMES);
}

/** Null where there are none. */
export function inDoubt(files: readonly string[], say: Call['say']): string | null {
  return files.length === 0 ? null : say('files.in_doubt', { count: files.length, names: named(files) });
}

function reason(why: string | null, say: Call['say']): string {
  return why !== null && why in REASONS ? say(REASONS[why as keyof typeof REASONS]) : String(why);
}

const REASONS = {
  chosen: 'file_left.chosen',
  changed: 'file_left.changed',
  blocked: 'file_left.blocked',
  not_captured: 'file_left.not_captured',
  content_missing: 'file_left.content_missing',
  content_lost: 'file_left.content_lost',
  link_outside: 'file_left.link_outside',
  attributes: 'file_left.attributes',
  new: 'file_left.new',
} as const satisfies Record<string, TextKey>;
