/** A user's functions around steps, tool calls, checkpoints and recoveries: they may observe, add, or veto. */

import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import { EngineError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Redact } from './redact.ts';
import { warn } from './warn.ts';

export interface StepInfo {
  readonly task: string;
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly attempt: number;
}
interface ToolInfo extends StepInfo {
  readonly input: unknown;
}
export interface CheckpointInfo {
  readonly task: string;
  readonly trigger: CheckpointTrigger;
  readonly sequence_number: number;
}
interface RecoveryInfo {
  readonly task: string;
  readonly checkpoint: string | null;
  readonly notes: readonly string[];
}
export interface Ended {
  readonly error: unknown;
  readonly duration_ms: number;
}

/** `veto` stops it with this reason; `add` is kept as metadata of the checkpoint, or passed to the step. */
export interface HookAnswer {
  readonly veto?: string;
  readonly add?: Readonly<Record<string, unknown>>;
}
type Before<Info> = (info: Info) => HookAnswer | undefined | Promise<HookAnswer | undefined>;
type After<Info> = (info: Info & Ended) => void | Promise<void>;

export interface Hooks {
  /**
   * Called for every text in a task's input, messages, answers and output before it is stored. A resumed task sees what was
   * stored.
   */
  readonly redact?: Redact;
  readonly beforeStep?: Before<StepInfo>;
  readonly afterStep?: After<StepInfo>;
  readonly beforeTool?: Before<ToolInfo>;
  readonly afterTool?: After<ToolInfo>;
  readonly beforeCheckpoint?: Before<CheckpointInfo>;
  readonly afterCheckpoint?: (info: CheckpointInfo & { readonly id: string }) => void | Promise<void>;
  readonly beforeRecovery?: Before<RecoveryInfo>;
  readonly afterRecovery?: (info: RecoveryInfo) => void | Promise<void>;
}

/** Notifies a hook. What it throws is reported as a warning, and affects neither the task nor what was recorded. */
export async function tell<Info>(
  hook: ((info: Info) => void | Promise<void>) | undefined,
  name: keyof Hooks,
  info: Info,
): Promise<void> {
  try {
    await hook?.(info);
  } catch (error) {
    warnOfHook(name, error);
  }
}

export function warnOfHook(name: keyof Hooks, error: unknown): void {
  warn('VIBE_ENGINE_HOOK', phrase`The hook ${name}`, error);
}

/** Calls a hook; HOOK_VETO if it refuses. */
export async function ask<Info extends { readonly task: string }>(
  hook: Before<Info> | undefined,
  name: keyof Hooks,
  info: Info,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = (await hook?.(info)) ?? {};
  if (answer.veto === undefined) return answer.add ?? {};
  throw new EngineError('HOOK_VETO', phrase`The hook ${name} refused: ${answer.veto}`, {
    data: { hook: name, ...info },
    hint: phrase`This is your own hook: change what it checks, or what the task does.`,
  });
}
