/** The questions about drift before a task is resumed, and the error if there is no answer. */
import type { UpstreamChoice } from '../../drift/policy.ts';
import type { Recommendation } from '../../drift/restart.ts';
import { DriftError, EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../../storage/contract.ts';
import type { Prompter } from '../api/prompter.ts';
import type { FileEntries } from '../files/own-changes.ts';
import { BY_HAND, forcePushCommands, recommendation } from './by-hand.ts';
import type { Drifted, DriftServices } from './looking.ts';

export interface ResumingTask {
  readonly claim: Claim;
  readonly task_name: string;
  /** In percent. */
  readonly progress: number;
  readonly options: UpstreamOptions;
  /** What its journal tells of files. */
  readonly files: FileEntries;
  /** Files that were restored for this resume: how they are is no news. */
  readonly restored: readonly string[];
}

/**
 * `go_back`: to an older checkpoint that does not need what is missing, if there is one; the question is asked elsewhere.
 */
export type EnvironmentChoice = 'continue' | 'go_back' | 'abort';

export interface UpstreamOptions {
  /** When there are new commits upstream; default: as configured. `restart` starts the task again as a new one. */
  readonly on_upstream?: UpstreamChoice;
  /** When the environment is not as the task left it, as when another branch is checked out; default: ask. */
  readonly on_environment?: EnvironmentChoice;
  readonly prompter?: Prompter;
}

export interface Asking {
  readonly services: DriftServices;
  readonly looked: Drifted;
  readonly resumed: ResumingTask;
  readonly notes: readonly string[];
}

export async function askAboutUpstream(
  asking: Asking,
  options: readonly UpstreamChoice[],
): Promise<UpstreamChoice> {
  const { services, resumed, notes } = asking;
  const message = [...notes, recommendedLine(asking)].join('\n');
  const data = factsOf(asking);
  const prompter = resumed.options.prompter ?? services.prompter;
  const recommended = data.recommendation.choice;
  const question = {
    kind: 'upstream',
    task: resumed.claim.task,
    message,
    options,
    recommended,
    data,
  } as const;
  const answer = await prompter?.ask(question);
  const choice = options.find((option) => option === answer);
  if (choice) return choice;
  throw new EngineError(
    'NEEDS_ANSWER',
    [phrase`Upstream has new commits since task "${resumed.task_name}" stopped.`, message].join(' '),
    {
      data,
      hint: phrase`Nothing was changed. Say what to do with --on-upstream: ${options.join(', ')}.`,
    },
  );
}

export async function confirmBranch({ services, resumed, notes, looked }: Asking): Promise<void> {
  const { on_environment, prompter = services.prompter } = resumed.options;
  const options = ['continue', 'abort'];
  const message = [...notes, phrase`Continue there?`].join('\n');
  const data = { task: resumed.claim.task, findings: looked.detection.findings };
  const answer =
    (on_environment === 'go_back' ? undefined : on_environment) ??
    (await prompter?.ask({ kind: 'environment', task: resumed.claim.task, message, options, data }));
  if (answer === 'continue') return;
  const code = answer === 'abort' ? 'ENVIRONMENT_CHANGED' : 'NEEDS_ANSWER';
  throw new EngineError(
    code,
    [
      phrase`A different branch is checked out from the one task "${resumed.task_name}" was on.`,
      ...notes,
    ].join(' '),
    {
      data,
      hint: phrase`Nothing was changed. Switch back, or continue there with --on-environment continue.`,
    },
  );
}

/** With the answer, or the command, that follows it. */
function recommendedLine(asking: Asking): string {
  const { because, recommend, choice } = recommendationFor(asking);
  const flag = `--on-upstream ${choice}`;
  if (asking.looked.drift.force_push)
    return [
      recommend === 'restart'
        ? phrase`Recommended: restart, by the steps above.`
        : phrase`Recommended: merge_and_continue, by the steps above.`,
      because,
    ].join(' ');
  if (recommend === 'restart') return [phrase`Recommended: restart (${flag}).`, because].join(' ');
  const resume = asking.services.command(`resume ${asking.resumed.claim.task}`);
  const line =
    choice === 'abort'
      ? phrase`Recommended: merge manually, then continue: ${BY_HAND}; ${resume}.`
      : phrase`Recommended: merge_and_continue (${flag}).`;
  return [line, because].join(' ');
}

function recommendationFor({ services, looked, resumed }: Asking): Recommendation {
  const { level, force_push } = looked.drift;
  return recommendation(services, { progress: resumed.progress, level, force_push });
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

export function aborted(asking: Asking): DriftError {
  const { services, resumed, notes, looked } = asking;
  const restart = services.command(`restart ${resumed.claim.task} --upstream`);
  return new DriftError(
    'UPSTREAM_CHANGED',
    [phrase`Task "${resumed.task_name}" was not resumed.`, ...notes].join(' '),
    {
      data: { ...factsOf(asking), advice: [...notes, recommendedLine(asking)] },
      hint: looked.drift.force_push
        ? phrase`Nothing was changed. To sync the branch first: ${forcePushCommands(services, resumed.claim.task, resumed.progress)}`
        : phrase`Nothing was changed. Bring the branch up to date (${BY_HAND}) and resume the task, or start it again on top of upstream: ${restart}`,
    },
  );
}

/** The answer was to start the task again; where that is not possible, the error says how to do it. */
export class RestartWanted extends DriftError {
  constructor({ services, resumed, notes, ...asking }: Asking) {
    const restart = services.command(`restart ${resumed.claim.task} --upstream`);
    super('UPSTREAM_CHANGED', [phrase`Task "${resumed.task_name}" was not resumed.`, ...notes].join(' '), {
      data: factsOf({ services, resumed, notes, ...asking }),
      hint: phrase`Start it again: ${restart}`,
    });
  }
}
