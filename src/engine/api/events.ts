/** The events of tasks. */
import { type Channel, channel } from 'node:diagnostics_channel';
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import type { Finding } from '../../drift/detect.ts';
import type { Unknown } from '../../drift/look.ts';
import type { Action, Moment } from '../../drift/policy.ts';
import type { Severity } from '../../drift/severity.ts';
import { phrase } from '../../phrase.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { Danger } from './context.ts';
import { warn } from './warn.ts';

export type EngineEvent =
  | {
      type: 'task.status';
      task: string;
      task_name: string;
      from: TaskStatus | null;
      to: TaskStatus;
      reason: string | null;
    }
  /** This process started to run the task, and stopped. */
  | { type: 'run.started'; task: string; task_name: string; resumed: boolean }
  | { type: 'run.ended'; task: string; outcome: RunEnd; error: unknown }
  | {
      type: 'step.started';
      task: string;
      id: string;
      name: string;
      attempt: number;
      unknown: boolean;
      /** The external effect it was declared to have. */
      danger: Danger | null;
    }
  | { type: 'step.completed'; task: string; id: string; name: string; attempt: number; duration_ms: number }
  | {
      type: 'step.failed';
      task: string;
      id: string;
      name: string;
      attempt: number;
      error: unknown;
      final: boolean;
    }
  | { type: 'agent.completed'; task: string; id: string; name: string; status: 'success' | 'failed' }
  | { type: 'message'; task: string; agent: string; role: string }
  | { type: 'progress'; task: string; percent: number; note: string | null }
  | {
      type: 'checkpoint';
      task: string;
      id: string;
      sequence_number: number;
      trigger: CheckpointTrigger;
      /** How much the task's context holds by now. */
      context_bytes: number;
      /** From the decision until it was on disk. */
      duration_ms: number;
    }
  | {
      type: 'recovery';
      task: string;
      task_name: string;
      checkpoint: string | null;
      /** Where it resumes: the iteration, how far it was, and its last step. */
      iteration: number;
      progress: { readonly percent: number; readonly note: string | null };
      last_step: { readonly name: string; readonly failed: boolean } | null;
      /** Given when it was paused. */
      instructions: string | null;
      notes: readonly string[];
      unknown: readonly string[];
      duration_ms: number;
    }
  | {
      type: 'recovery.failed';
      task: string | null;
      verb: 'resume' | 'retry' | 'rollback';
      error: unknown;
      reason: string;
    }
  /** The repository changed, or could not be checked; and what is done about it. */
  | {
      type: 'drift';
      task: string;
      moment: Moment;
      action: Action['do'];
      level: Severity;
      findings: readonly Finding[];
      unknown: Unknown | null;
    }
  | { type: 'rebase'; task: string; old_head: string; new_head: string; onto: string; backup_ref: string }
  | { type: 'rollback'; task: string; checkpoint: string | null }
  | { type: 'redo'; task: string; checkpoint: string | null }
  /** What the task `from` did to files was done here, too. `checkpoint`: before it. */
  | { type: 'take'; task: string; from: string; checkpoint: string | null }
  | { type: 'fork'; task: string; parent: string; checkpoint: string }
  | { type: 'cleanup'; triggers: readonly string[]; removed: number; freed_bytes: number }
  /** It failed when it ran automatically; a direct call throws instead. */
  | { type: 'cleanup.failed'; triggers: readonly string[]; error: unknown };

/** `stopped`: the run ended, the task did not. */
type RunEnd = 'completed' | 'failed' | 'paused' | 'cancelled' | 'released' | 'idle' | 'stopped';

type EventType = EngineEvent['type'];
export type EventOf<T extends EventType> = Extract<EngineEvent, { type: T }>;
export type Emit = (event: EngineEvent) => void;
type Listener<T extends EventType> = (event: EventOf<T>) => void;

export interface Events {
  readonly emit: Emit;
  /** Returns a function that stops listening. `*` gets all events. */
  on<T extends EventType>(type: T, listener: Listener<T>): () => void;
  on(type: '*', listener: (event: EngineEvent) => void): () => void;
}

/** The same events on `node:diagnostics_channel`, for tools that know nothing of the engine. */
export const CHANNEL_PREFIX = 'vibe-engine:';

export function createEvents(): Events {
  const listeners = new Map<string, readonly Heard[]>();
  const heardBy = (name: string): readonly Heard[] => listeners.get(name) ?? NOBODY;
  return {
    emit: (event) => {
      const wire = wireOf(event.type);
      if (wire.hasSubscribers) wire.publish(event);
      for (const { hear } of heardBy(event.type)) tell(hear, event);
      for (const { hear } of heardBy('*')) tell(hear, event);
    },
    on: (type: string, listener: (event: never) => void): (() => void) => {
      const added = { hear: listener as (event: EngineEvent) => void };
      listeners.set(type, [...heardBy(type), added]);
      return () => {
        listeners.set(
          type,
          heardBy(type).filter((one) => one !== added),
        );
      };
    },
  };
}

interface Heard {
  readonly hear: (event: EngineEvent) => void;
}

const NOBODY: readonly Heard[] = [];

/** Kept: looking a channel up by its name takes longer than everything else. */
const wires = new Map<string, Channel>();

function wireOf(type: string): Channel {
  const known = wires.get(type);
  if (known) return known;
  const wire = channel(CHANNEL_PREFIX + type);
  wires.set(type, wire);
  return wire;
}

/** A listener cannot stop a task: its errors are reported, not thrown into the task. */
function tell(hear: (event: EngineEvent) => void, event: EngineEvent): void {
  try {
    hear(event);
  } catch (error) {
    warn('VIBE_ENGINE_LISTENER', phrase`A listener of ${event.type}`, error);
  }
}
