/** Before a task is resumed: what became of the repository meanwhile, and what is to be done about it. */

import type { Git } from '../../drift/git.ts';
import { decide, type UpstreamChoice } from '../../drift/policy.ts';
import { type Recommendation, restartOrContinue } from '../../drift/restart.ts';
import { type DriftResolution, resolveEvents, type VersionTracker } from '../../drift/tracker.ts';
import { DriftError, EngineError } from '../../errors.ts';
import type { Claim } from '../../storage/contract.ts';
import type { Prompter } from '../prompter.ts';
import { type Drifted, type DriftHost, lookFor } from './looking.ts';
import { findingLines, overlapping, upstreamLine } from './notice.ts';
import { rebaseTask } from './rebasing.ts';

export interface ResumingTask {
  readonly claim: Claim;
  readonly task_name: string;
  /** In percent. */
  readonly progress: number;
  readonly options: UpstreamOptions;
}

export interface UpstreamOptions {
  /** When there are new commits upstream; as configured unless told. */
  readonly on_upstream?: UpstreamChoice;
  /** When the environment is not as the task left it, as when another branch is checked out; asked unless told. */
  readonly on_environment?: 'continue' | 'abort';
  readonly prompter?: Prompter;
}

export interface Resuming {
  readonly notes: readonly string[];
  apply(): Promise<void>;
}

/** Changes nothing by itself: `apply` does. */
export async function settleBeforeResume(
  host: DriftHost,
  git: Git,
  known: VersionTracker,
  resumed: ResumingTask,
  save: (tracker: VersionTracker) => Promise<void>,
): Promise<Resuming> {
  const looked = await lookFor(host, git, known, 'resume');
  const { tracker, drift, detection } = looked;
  const { recovery, drift: settings } = host.config;
  const on_upstream = resumed.options.on_upstream ?? recovery.on_upstream;
  const action = decide(drift, 'resume', { on_upstream, auto_rebase: settings.auto_rebase });
  const line = upstreamLine(tracker, drift, overlapping(tracker));
  const notes = [...findingLines(detection, tracker), ...(line && drift.undecided ? [line] : [])];
  const told = (resolution: DriftResolution | null): Resuming => ({
    notes,
    apply: () => save(resolution ? decided(looked, resolution, host) : tracker),
  });
  const asking: Asking = { host, looked, resumed, notes };
  /** What only the settings permitted may turn out not to be possible: then the user is asked after all. */
  const rebaseNow = async (otherwise: Asking | null): Promise<void> => {
    const wanted = { claim: resumed.claim, tracker, sight: detection.sight!, force_push: drift.force_push };
    try {
      await rebaseTask(host, git, { ...wanted, permitted: true });
    } catch (error) {
      if (!otherwise || !(error instanceof DriftError)) throw error;
      const refusal = { ...otherwise, notes: [...notes, error.message] };
      if ((await askAboutUpstream(refusal, ['ignore', 'abort'])) === 'abort') throw aborted(refusal);
      await told('ignored').apply();
    }
  };
  if (notes.length > 0)
    host.emit({
      type: 'drift',
      task: known.task_id,
      moment: 'resume',
      action: action.do,
      level: drift.level,
      findings: detection.findings,
      unknown: detection.unknown,
    });
  switch (action.do) {
    case 'go on':
    case 'pause':
      return told(null);
    case 'notify':
      return told(drift.undecided ? 'ignored' : null);
    case 'confirm':
      await confirmBranch(asking);
      return told('ignored');
    case 'abort':
      throw aborted(asking);
    case 'rebase':
      return { notes, apply: () => rebaseNow(on_upstream === 'ask' ? asking : null) };
    case 'ask': {
      const choice = await askAboutUpstream(asking, action.options);
      if (choice === 'abort') throw aborted(asking);
      return choice === 'rebase' ? { notes, apply: () => rebaseNow(null) } : told('ignored');
    }
  }
}

/** On another branch the task goes on from what is there. */
function decided(
  { tracker, detection }: Drifted,
  resolution: DriftResolution,
  { clock }: DriftHost,
): VersionTracker {
  const settled = resolveEvents(tracker, resolution, clock.now().toISOString());
  const { sight } = detection;
  if (!sight || sight.branch === tracker.branch) return settled;
  const { head, branch, upstream, upstream_head } = sight;
  return { ...settled, current_head: head, branch, upstream, upstream_head, assessed: null };
}

interface Asking {
  readonly host: DriftHost;
  readonly looked: Drifted;
  readonly resumed: ResumingTask;
  readonly notes: readonly string[];
}

async function askAboutUpstream(asking: Asking, options: readonly UpstreamChoice[]): Promise<UpstreamChoice> {
  const { host, resumed, notes } = asking;
  const { because, recommend } = recommendationFor(asking);
  const message = [...notes, `Recommended: ${recommend}. ${because}`].join('\n');
  const data = factsOf(asking);
  const prompter = resumed.options.prompter ?? host.prompter;
  const answer = await prompter?.ask({ kind: 'upstream', task: resumed.claim.task, message, options, data });
  const choice = options.find((option) => option === answer);
  if (choice) return choice;
  throw new EngineError(
    'NEEDS_ANSWER',
    `Upstream has moved while task "${resumed.task_name}" lay still. ${message}`,
    {
      data,
      hint: `Nothing was changed. Say what to do: on_upstream ${options.map((option) => `"${option}"`).join(', ')}, the setting recovery.on_upstream, or a prompter that can ask.`,
    },
  );
}

async function confirmBranch({ host, resumed, notes, looked }: Asking): Promise<void> {
  const { on_environment, prompter = host.prompter } = resumed.options;
  const options = ['continue', 'abort'];
  const message = `${notes.join('\n')}\nGo on there?`;
  const data = { task: resumed.claim.task, findings: looked.detection.findings };
  const answer =
    on_environment ??
    (await prompter?.ask({ kind: 'environment', task: resumed.claim.task, message, options, data }));
  if (answer === 'continue') return;
  const code = answer === 'abort' ? 'ENVIRONMENT_CHANGED' : 'NEEDS_ANSWER';
  throw new EngineError(
    code,
    `Another branch is checked out than task "${resumed.task_name}" was on. ${notes.join(' ')}`,
    {
      data,
      hint: 'Nothing was changed. Switch back, or say what to do: on_environment "continue" or "abort", or a prompter that can ask.',
    },
  );
}

function recommendationFor({ host, looked, resumed }: Asking): Recommendation {
  const { drift } = looked;
  const { restart_below_progress, prefer } = host.config.drift;
  return restartOrContinue({
    progress: resumed.progress,
    level: drift.level,
    force_push: drift.force_push,
    preference: prefer,
    restart_below: restart_below_progress,
  });
}

function factsOf(asking: Asking) {
  const { looked, resumed } = asking;
  const { detection, tracker, drift } = looked;
  return {
    task: resumed.claim.task,
    severity: drift.level,
    commits_behind: tracker.commits_behind,
    conflicting_files:
      detection.assessment?.files.filter(({ level }) => level === 'high').map(({ path }) => path) ?? [],
    assessment: detection.assessment,
    findings: detection.findings,
    recommendation: recommendationFor(asking),
  };
}

function aborted(asking: Asking): DriftError {
  const { resumed, notes } = asking;
  const { because, recommend } = recommendationFor(asking);
  return new DriftError(
    'UPSTREAM_CHANGED',
    `Task "${resumed.task_name}" was not resumed. ${notes.join(' ')}`,
    {
      data: { ...factsOf(asking), advice: [...notes, `Recommended: ${recommend}. ${because}`] },
      hint: 'Nothing was changed. Bring the branch up to date by hand, then resume the task; or start it again.',
    },
  );
}
