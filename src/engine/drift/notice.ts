/** Drift in words. Pure. */
import type { Detection, Finding } from '../../drift/detect.ts';
import { adviceOnForcePush } from '../../drift/force-push.ts';
import { isJudged } from '../../drift/note.ts';
import type { Drift } from '../../drift/policy.ts';
import { pendingEvents, type VersionTracker } from '../../drift/tracker.ts';

/** What was found, a line each. */
export function findingLines({ findings, unknown }: Detection, tracker: VersionTracker): string[] {
  const lines = findings.flatMap((finding) => lineOf(finding, tracker));
  if (!findings.some(({ type }) => type === 'force_push')) lines.push(...forcePushLines(tracker));
  if (unknown && unknown.reason !== 'no upstream')
    lines.push(`Whether upstream has moved is not known: ${unknown.reason} (${unknown.detail}).`);
  return lines;
}

function lineOf(finding: Finding, tracker: VersionTracker): string[] {
  const short = (commit: string | null) => commit?.slice(0, 12) ?? 'nothing';
  switch (finding.type) {
    case 'upstream_change':
      return []; // Said by `upstreamLine`, with its severity.
    case 'force_push':
      return adviceOnForcePush(tracker.upstream?.name ?? 'Upstream', finding);
    case 'branch_switched': {
      const name = (branch: string | null) => branch ?? 'a detached HEAD';
      return [`The branch was switched from ${name(finding.old_branch)} to ${name(finding.new_branch)}.`];
    }
    case 'head_moved':
      return [
        finding.how === 'forward'
          ? `The branch has moved on from ${short(finding.old_head)} to ${short(finding.new_head)}.`
          : `The branch was reset from ${short(finding.old_head)} to ${short(finding.new_head)}.`,
      ];
    case 'local_change':
      return [`Not committed, and not the task's: ${listed(finding.files)}.`];
  }
}

/** What was found before, and is still to be decided about. */
function forcePushLines(tracker: VersionTracker): string[] {
  const event = pendingEvents(tracker).findLast(({ type }) => type === 'force_push');
  if (!event?.details.old_head) return [];
  const { old_head, vanished = [], still_in = [] } = event.details;
  const gone = { old_head, vanished: vanished.map((id) => ({ id })), still_in };
  return adviceOnForcePush(tracker.upstream?.name ?? 'Upstream', gone);
}

/** Null when upstream has nothing that the branch has not. */
export function upstreamLine(
  tracker: VersionTracker,
  { level, force_push }: Drift,
  files: readonly string[],
): string | null {
  const { commits_behind, upstream } = tracker;
  if (commits_behind === 0) return null;
  const commits = commits_behind === 1 ? '1 new commit' : `${commits_behind} new commits`;
  const meaning = force_push ? REWRITTEN : isJudged(tracker) ? MEANING[level] : NOT_JUDGED;
  return `${upstream?.name ?? 'Upstream'} has ${commits}. ${meaning}${files.length > 0 ? `: ${listed(files)}` : ''}.`;
}

const REWRITTEN = 'History was rewritten (severity high): settle that first';
const NOT_JUDGED = 'How severe that is could not be found out (taken as medium)';
const MEANING = {
  none: 'Nothing of the task is touched',
  low: 'No file in common with the task (severity low): go on, rebase when finished',
  medium: 'Files in common, no conflict (severity medium): rebase soon',
  high: 'A conflict (severity high): settle it first',
};

const MOST_NAMES = 8;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The files of the newest event that has some. */
export function overlapping(tracker: VersionTracker): readonly string[] {
  const event = tracker.drift_events.findLast(({ details }) => details.severity !== undefined);
  return event?.details.files ?? [];
}
