/** Drift in words. Pure. */
import type { Detection, Finding } from '../../drift/detect.ts';
import { adviceOnForcePush } from '../../drift/force-push.ts';
import type { Unknown } from '../../drift/look.ts';
import { isJudged } from '../../drift/note.ts';
import type { Drift, Moment } from '../../drift/policy.ts';
import { pendingEvents, type VersionTracker } from '../../drift/tracker.ts';
import { firstNames, phrase } from '../../phrase.ts';

/** What was found, a line each; `steps`: what to do about a force push. */
export function findingLines(
  { findings, unknown }: Detection,
  tracker: VersionTracker,
  steps: readonly string[],
): string[] {
  const lines = findings.flatMap((finding) => lineOf(finding, tracker, steps));
  if (!findings.some(({ type }) => type === 'force_push')) lines.push(...forcePushLines(tracker, steps));
  if (unknown && unknown.reason !== 'no upstream')
    lines.push(
      phrase`Could not check upstream for new commits: ${REASONS[unknown.reason]} (${unknown.detail}).`,
    );
  return lines;
}

/** Why upstream could not be checked. */
const REASONS: Readonly<Record<Unknown['reason'], string>> = {
  offline: phrase`offline`,
  'no credentials': phrase`no credentials`,
  'timed out': phrase`timed out`,
  'branch gone': phrase`branch gone`,
  'fetch failed': phrase`fetch failed`,
  'no upstream': phrase`no upstream`,
  'no repository': phrase`no repository`,
  'git refuses': phrase`git refuses`,
  'history unknown': phrase`history unknown`,
  'not fetched': phrase`not fetched`,
};

function lineOf(finding: Finding, tracker: VersionTracker, steps: readonly string[]): string[] {
  const short = (commit: string | null) => commit?.slice(0, 12) ?? phrase`no commit`;
  switch (finding.type) {
    case 'upstream_change':
      return []; // Said by `upstreamLine`, with its severity.
    case 'force_push':
      if (finding.in_step)
        return [
          phrase`${upstreamName(tracker)} was rewritten by a force push. The branch already follows it.`,
        ];
      return adviceOnForcePush(upstreamName(tracker), finding, steps);
    case 'branch_switched': {
      const name = (branch: string | null) => branch ?? phrase`a detached HEAD`;
      return [
        phrase`The branch was switched from ${name(finding.old_branch)} to ${name(finding.new_branch)}.`,
      ];
    }
    case 'head_moved': {
      const [from, to] = [short(finding.old_head), short(finding.new_head)];
      return [
        finding.how === 'forward'
          ? phrase`The branch has moved on from ${from} to ${to}.`
          : phrase`The branch was reset from ${from} to ${to}.`,
      ];
    }
    case 'local_change':
      return [phrase`Uncommitted, and not by the task: ${firstNames(finding.files)}.`];
  }
}

/** What was detected before, and is still undecided. */
export function forcePushLines(tracker: VersionTracker, steps: readonly string[]): string[] {
  const event = pendingEvents(tracker).findLast(({ type }) => type === 'force_push');
  if (!event?.details.old_head) return [];
  const { old_head, vanished = [], still_in = [] } = event.details;
  const gone = { old_head, vanished: vanished.map((id) => ({ id })), still_in };
  return adviceOnForcePush(upstreamName(tracker), gone, steps);
}

/** Null if the branch has everything of upstream; a force push has its own lines. */
export function upstreamLine(
  tracker: VersionTracker,
  { level, force_push }: Drift,
  files: readonly string[],
  moment?: Moment,
): string | null {
  const count = tracker.commits_behind;
  if (count === 0 || force_push) return null;
  const name = upstreamName(tracker);
  const judged = [MEANING[level], ...(moment === 'end' && level !== 'high' ? [] : ADVICE[level])];
  const sentences = [
    count === 1 ? phrase`${name} has 1 new commit.` : phrase`${name} has ${count} new commits.`,
    ...(isJudged(tracker) ? judged : [phrase`The severity is not known (taken as medium).`]),
    ...(files.length > 0 ? [phrase`In common: ${firstNames(files)}.`] : []),
  ];
  return sentences.join(' ');
}

export function rebasedLine(onto: string, backup_ref: string): string {
  return phrase`It was rebased onto ${onto}; the previous state is in ${backup_ref}.`;
}

const MEANING = {
  none: phrase`No file of the task is affected.`,
  low: phrase`No file in common with the task (severity low).`,
  medium: phrase`Files in common, no conflict (severity medium).`,
  high: phrase`A conflict (severity high).`,
};
const ADVICE = {
  none: [],
  low: [phrase`Continue, and rebase when finished.`],
  medium: [phrase`Rebase soon.`],
  high: [phrase`Resolve it first.`],
};

function upstreamName({ upstream }: VersionTracker): string {
  return upstream?.name ?? 'upstream';
}

/** The files of the newest event that has some. */
export function overlapping(tracker: VersionTracker): readonly string[] {
  const event = tracker.drift_events.findLast(({ details }) => details.severity !== undefined);
  return event?.details.files ?? [];
}
