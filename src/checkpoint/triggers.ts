/** When a checkpoint is made: a pure decision from the settings, what happened, and what changed since the last one. */
import type { CheckpointsConfig, TriggerPriority } from '../config/types.ts';
import type { CheckpointTrigger } from './record/record.ts';

type TriggerSettings = CheckpointsConfig['triggers'];
type CheckpointPriority = Exclude<TriggerPriority, 'off'>;
/** Events that a task reports; time and size are checked here. */
export type CheckpointEvent = Exclude<CheckpointTrigger, 'interval' | 'context_growth'>;

/** The state at the last checkpoint, or at the start of the task if there is none yet. */
interface SinceCheckpoint {
  /** Milliseconds, as `now`. */
  readonly at: number;
  readonly context_bytes: number;
}

export interface TriggerInput {
  /** What happened since the last call; the order decides between equal priorities. */
  readonly events: readonly CheckpointEvent[];
  readonly now: number;
  readonly context_bytes: number;
  /** Whether anything changed since the last checkpoint. */
  readonly changed: boolean;
  readonly last: SinceCheckpoint;
}

export interface TriggerDecision {
  readonly trigger: CheckpointTrigger;
  readonly priority: CheckpointPriority;
}

/** Which trigger calls for a checkpoint now: the most important one, or null. */
export function decideCheckpoint(settings: TriggerSettings, input: TriggerInput): TriggerDecision | null {
  let decision: TriggerDecision | null = null;
  const consider = (trigger: CheckpointTrigger, priority: TriggerPriority) => {
    if (RANK[priority] > (decision ? RANK[decision.priority] : RANK.off)) {
      decision = { trigger, priority: priority as CheckpointPriority };
    }
  };
  for (const event of input.events) consider(event, priorityOf(settings, event));
  if (grewEnough(settings, input)) consider('context_growth', 'normal');
  if (isIntervalOver(settings, input)) consider('interval', 'normal');
  return decision;
}

/** Milliseconds until the interval is over; null when there is none. For the timer of the process that runs the task. */
export function untilInterval(settings: TriggerSettings, last_at: number, now: number): number | null {
  if (settings.interval_minutes === null) return null;
  const length = settings.interval_minutes * MINUTE;
  // A clock that was set back must not delay the next checkpoint by as much.
  return now < last_at ? 0 : Math.max(0, last_at + length - now);
}

const MINUTE = 60_000;
const KB = 1024;
const RANK: Readonly<Record<TriggerPriority, number>> = { off: 0, normal: 1, high: 2, critical: 3 };

/** Milestones of a task, which no setting turns off: without them it could not be resumed where it is. */
const MILESTONES = {
  start: 'normal',
  manual: 'high',
  before_turn: 'high',
  pause: 'high',
  wait: 'high',
  end: 'high',
  rollback: 'high',
  fork: 'high',
} as const satisfies Partial<Record<CheckpointEvent, CheckpointPriority>>;

/** What a checkpoint of this trigger has where the settings are the default ones. */
export function usualPriority(trigger: string): CheckpointPriority {
  return USUAL[trigger] ?? 'normal';
}

const USUAL: Readonly<Record<string, CheckpointPriority>> = {
  ...MILESTONES,
  after_subagent: 'high',
  after_user_input: 'high',
  before_shell_command: 'critical',
  before_file_change: 'critical',
  before_external_api: 'critical',
};

function priorityOf(settings: TriggerSettings, event: CheckpointEvent): TriggerPriority {
  return isMilestone(event) ? MILESTONES[event] : settings[event];
}

function isMilestone(event: CheckpointEvent): event is keyof typeof MILESTONES {
  return Object.hasOwn(MILESTONES, event);
}

function grewEnough({ context_growth_kb }: TriggerSettings, { context_bytes, last }: TriggerInput): boolean {
  return context_growth_kb !== null && context_bytes - last.context_bytes > context_growth_kb * KB;
}

function isIntervalOver(settings: TriggerSettings, { changed, last, now }: TriggerInput): boolean {
  return changed && untilInterval(settings, last.at, now) === 0;
}
