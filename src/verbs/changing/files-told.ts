/** What is told of files before they are put back, and after: above all of those that are not, or only after a question. */
import type { FileNotes, PlannedFile } from '../../engine/workspace-link.ts';
import type { Call } from '../kit/verb.ts';
import type { TextKey } from '../text/catalogue.ts';

type Teller = Pick<Call, 'say' | 'paint'>;

/** Null where nothing is known of files. */
export function plannedLines(plan: readonly PlannedFile[] | null, { say, paint }: Teller): string[] {
  if (plan === null) return [];
  const changing = plan.filter(({ action }) => action === 'put' || action === 'remove');
  const asked = plan.filter(({ action }) => action === 'ask');
  const kept = plan.filter(({ action, why }) => action === 'keep' && why !== 'already');
  const run = plan.filter(({ action, runs }) => runs && action !== 'keep');
  const line = (key: TextKey, files: readonly PlannedFile[]): string[] =>
    files.length === 0
      ? []
      : [say(key, { count: files.length, names: named(files.map(({ path }) => path)) })];
  return [
    ...(changing.length + asked.length === 0 ? [say('rollback.no_files')] : line('rollback.files', changing)),
    ...line('rollback.files_asked', asked).map(paint.warn),
    ...kept.map(({ path, why }) => say('rollback.file_left', { path, why: reason(why, say) })),
    ...line('rollback.files_run', run).map(paint.warn),
  ];
}

export function noteLines({ left, displaced, review }: FileNotes, { say, paint }: Teller): string[] {
  return [
    ...left.map(({ path, why }) => say('rollback.file_left', { path, why: reason(why, say) })),
    ...displaced.map(({ path, blob }) => say('rollback.file_displaced', { path, blob })),
    ...(review.length > 0 ? [say('rollback.files_review', { names: named(review) })] : []),
  ].map(paint.warn);
}

const MOST_NAMES = 8;

export function named(names: readonly string[]): string {
  return names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '');
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
  link_outside: 'file_left.link_outside',
  attributes: 'file_left.attributes',
} as const satisfies Record<string, TextKey>;
