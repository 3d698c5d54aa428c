/** What an agent is to the engine: an async iterable of what it says and does. */
import type { CheckpointContext, Decision, Message } from '../../checkpoint/record/record.ts';
import type { WaitingData } from '../../task/data.ts';
import type { UnknownOutcome, WaitOptions } from './context.ts';

/** What an agent yields, in the order in which it happens. */
export type AgentEvent<Output = unknown> =
  | { readonly type: 'message'; readonly role: Message['role']; readonly content: unknown }
  /** Yielded before the tool runs: the call is on the disk when the agent is asked for its next event. */
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input?: unknown }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly output: unknown;
      readonly is_error?: boolean;
    }
  | ({ readonly type: 'decision' } & Decision)
  /** What this `yield` gives is the answer; it throws WAIT_TIMEOUT when none came in time. */
  | ({ readonly type: 'wait'; readonly kind: WaitingData['waiting_for'] } & WaitOptions)
  /** The last one. */
  | { readonly type: 'done'; readonly output: Output };

/** `yield { type: 'wait', ...open }` goes on with it, and is answered at once where the answer has come. */
export interface OpenWait {
  readonly kind: WaitingData['waiting_for'];
  readonly prompt?: string;
  readonly timeout_at: string | null;
  readonly answered: boolean;
}

export interface UnfinishedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly began_at: string;
  /** What the call did and did not do to files, where that is known. */
  readonly files: UnknownOutcome['files'];
}

/** What an agent's function is told when it is asked to begin, or to go on. */
export interface AgentStart {
  readonly task_id: string;
  /** It goes on after an earlier run. */
  readonly resumed: boolean;
  /** The conversation so far, trimmed to what an agent can be handed. */
  readonly context: CheckpointContext;
  /** Tool calls that were under way when the earlier run ended: they may have had their effect. */
  readonly unfinished: readonly UnfinishedCall[];
  /** The question that was open when the earlier run ended, if it ended there. */
  readonly waiting: OpenWait | null;
  /** Aborted when the task is being paused or stopped. */
  readonly signal: AbortSignal;
}

type Events<Output> = AsyncIterable<AgentEvent<Output>>;
/** A function is asked anew at every run and can go on from the context; an iterable is taken as it is. */
export type Agent<Query, Output> =
  | ((query: Query, start: AgentStart) => Events<Output> | Promise<Events<Output>>)
  | Events<Output>;
