/**
 * A task has ended: pending drift is resolved; if upstream has new commits, a rebase is offered, or made if the settings
 * permit it.
 */
import type { Git } from '../../drift/git.ts';
import { pendingEvents, type VersionTracker } from '../../drift/tracker.ts';
import { DriftError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import type { TaskState } from '../../task/state.ts';
import { endedTracker, isOver, loadTracker, trackerRecord } from '../task/records/versions.ts';
import { forcePushSteps } from './by-hand.ts';
import { type DriftServices, lookFor, repositoryOf } from './looking.ts';
import { forcePushLines, overlapping, rebasedLine, upstreamLine } from './notice.ts';
import { lookAndRebase, settleRebase } from './rebasing.ts';

export async function settleEnd(services: DriftServices, claim: Claim, state: TaskState): Promise<void> {
  const { storage, clock, config } = services;
  const { failed_days } = config.cleanup;
  const { task, fence } = claim;
  const known = isOver(state, clock.now(), failed_days) && (await loadTracker(storage, task));
  if (!known) return;
  const git = repositoryOf(services);
  try {
    const settled = git && (await settleRebase(services, git, claim, known));
    if (settled && state.status === 'completed')
      await offerRebase(services, git!, claim, state.task_name, settled);
  } finally {
    const last = (await loadTracker(storage, task)) ?? known;
    const ended = endedTracker(last, state, { now: clock.now(), failed_days });
    if (ended !== last) await storage.commit({ task, fence, records: [trackerRecord(ended)] });
  }
}

async function offerRebase(
  services: DriftServices,
  git: Git,
  claim: Claim,
  task_name: string,
  known: VersionTracker,
): Promise<void> {
  if (known.commits_behind === 0 && pendingEvents(known).length === 0) return;
  // What the task has done since the last check may have made it worse.
  const { tracker, drift, detection } = await lookFor(services, git, known, 'end');
  const { task, fence } = claim;
  await services.storage.commit({ task, fence, records: [trackerRecord(tracker)] });
  if (tracker.commits_behind === 0 && !drift.force_push) return;
  const line = upstreamLine(tracker, drift, overlapping(tracker), 'end');
  const said = [[phrase`Task "${task_name}" is done.`, ...(line ? [line] : [])].join(' ')];
  const { auto_rebase } = services.config.drift;
  const possible = drift.level !== 'high' && !drift.force_push;
  if (possible && auto_rebase) said.push(await rebaseOrSay(services, claim, git, tracker));
  else if (possible) said.push(phrase`Rebase it now: ${services.command(`rebase ${task}`)}`);
  else said.push(...forcePushLines(tracker, forcePushSteps(services, task, null)));
  const { level } = drift;
  const action = possible && auto_rebase ? 'rebase' : 'notify';
  const { findings, unknown } = detection;
  services.emit({ type: 'drift', task, moment: 'end', action, level, findings, unknown });
  services.notify(said);
}

async function rebaseOrSay(
  services: DriftServices,
  claim: Claim,
  git: Git,
  known: VersionTracker,
): Promise<string> {
  try {
    const { onto, backup_ref } = await lookAndRebase(services, git, claim, known);
    return rebasedLine(onto, backup_ref);
  } catch (error) {
    if (!(error instanceof DriftError)) throw error;
    return `${error.message} ${error.hint}`;
  }
}
