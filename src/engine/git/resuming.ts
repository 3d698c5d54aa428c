/** Before a task is resumed: how the repository has changed, and what to do about it. */
import type { Detection, Finding } from '../../drift/detect.ts';
import type { Git } from '../../drift/git.ts';
import type { Sight } from '../../drift/look.ts';
import { takeBranch } from '../../drift/note.ts';
import { type Action, decide } from '../../drift/policy.ts';
import { type DriftResolution, resolveEvents, type VersionTracker } from '../../drift/tracker.ts';
import { DriftError } from '../../errors.ts';
import {
  type Asking,
  aborted,
  askAboutUpstream,
  confirmBranch,
  RestartWanted,
  type ResumingTask,
} from './asking.ts';
import { forcePushSteps } from './by-hand.ts';
import { type Drifted, type DriftServices, lookFor } from './looking.ts';
import { findingLines, overlapping, rebasedLine, upstreamLine } from './notice.ts';
import { rebaseTask } from './rebasing.ts';

export interface Resuming {
  readonly notes: readonly string[];
  apply(): Promise<void>;
}

/** Changes nothing by itself: `apply` does. */
export async function settleBeforeResume(
  services: DriftServices,
  git: Git,
  known: VersionTracker,
  resumed: ResumingTask,
  save: (tracker: VersionTracker) => Promise<void>,
): Promise<Resuming> {
  const settle = async (looked: Drifted, said: readonly string[]): Promise<Resuming> => {
    const { tracker, drift, detection } = looked;
    const { recovery, drift: settings } = services.config;
    const on_upstream = resumed.options.on_upstream ?? recovery.on_upstream;
    const action = decide(drift, 'resume', { on_upstream, auto_rebase: settings.auto_rebase });
    const line = upstreamLine(tracker, drift, overlapping(tracker));
    const steps = forcePushSteps(services, tracker.task_id, resumed.progress);
    const news = [...findingLines(detection, tracker, steps), ...(line && drift.undecided ? [line] : [])];
    const notes = [...new Set([...said, ...news])];
    /** Then the branch has everything of upstream. */
    const afterRebase = notes.filter((note) => note !== line);
    const told = (resolution: DriftResolution | null): Resuming => ({
      notes,
      apply: () => save(resolution ? resolveEvents(tracker, resolution, now()) : tracker),
    });
    const asking: Asking = { services, looked, resumed, notes };
    /** What only the settings permitted may turn out to be impossible: then the user is asked after all. */
    const rebaseNow = async (otherwise: Asking | null, without_tests = false): Promise<void> => {
      const wanted = { claim: resumed.claim, tracker, sight: detection.sight!, force_push: drift.force_push };
      try {
        const { onto, backup_ref } = await rebaseTask(services, git, {
          ...wanted,
          permitted: true,
          without_tests,
        });
        services.notify([rebasedLine(onto, backup_ref)]);
      } catch (error) {
        if (!otherwise || !(error instanceof DriftError)) throw error;
        const refusal = { ...otherwise, notes: [...notes, error.message] };
        const choice = await askAboutUpstream(refusal, ['ignore', 'restart', 'abort']);
        if (choice === 'abort') throw aborted(refusal);
        if (choice === 'restart') throw new RestartWanted(refusal);
        await told('ignored').apply();
      }
    };
    if (news.length > 0) services.emit(eventOf(looked, action.do));
    switch (action.do) {
      case 'continue':
      case 'pause':
        return told(null);
      case 'notify':
        return told(drift.undecided ? 'ignored' : null);
      case 'confirm':
        await confirmBranch(asking);
        return detection.sight ? settle(onThatBranch(looked, detection.sight), notes) : told('ignored');
      case 'abort':
        throw aborted(asking);
      case 'rebase':
        return {
          notes: afterRebase,
          apply: () =>
            rebaseNow(on_upstream === 'ask' ? asking : null, resumed.options.on_upstream === 'rebase'),
        };
      case 'restart':
        throw new RestartWanted(asking);
      case 'ask': {
        const choice = await askAboutUpstream(asking, action.options);
        if (choice === 'abort') throw aborted(asking);
        if (choice === 'restart') throw new RestartWanted(asking);
        return choice === 'rebase'
          ? { notes: afterRebase, apply: () => rebaseNow(null, true) }
          : told('ignored');
      }
    }
  };
  const now = () => services.clock.now().toISOString();
  /** What upstream has that this one has not is a question of its own. */
  const onThatBranch = (looked: Drifted, sight: Sight): Drifted => {
    const detection = { ...looked.detection, sight };
    const findings = detection.findings.filter(({ type }) => type === 'force_push');
    return { ...takeBranch(known, looked, detection, now()), detection: { ...detection, findings } };
  };
  const looked = await lookFor(services, git, known, 'resume', resumed.files);
  const restored = new Set(resumed.restored.map((path) => git.place.prefix + path));
  return settle({ ...looked, detection: withoutFiles(looked.detection, restored) }, []);
}

/** Not reported as left uncommitted by others. */
function withoutFiles(detection: Detection, paths: ReadonlySet<string>): Detection {
  const findings = detection.findings.flatMap((finding): Finding[] => {
    if (finding.type !== 'local_change') return [finding];
    const files = finding.files.filter((path) => !paths.has(path));
    return files.length > 0 ? [{ ...finding, files }] : [];
  });
  return { ...detection, findings };
}

function eventOf({ tracker, drift, detection }: Drifted, action: Action['do']) {
  const { findings, unknown } = detection;
  const task = tracker.task_id;
  return { type: 'drift', task, moment: 'resume', action, level: drift.level, findings, unknown } as const;
}
