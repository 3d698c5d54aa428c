/** What an agent is to the engine: an async iterable of what it says and does. */
import type { CheckpointContext, Decision, Message } from '../../checkpoint/record/record.ts';
import type { WaitingData } from '../../task/data.ts';
import type { Danger, UnknownOutcome, WaitOptions } from './context.ts';

/** What an agent yields, in the order in which it happens. */
export type AgentEvent<Output = unknown> =
  | RecordedEvent
  /** `yield` returns the answer, or throws WAIT_TIMEOUT if none came in time. */
  | ({ readonly type: 'wait'; readonly kind: WaitingData['waiting_for'] } & WaitOptions)
  /** The last one. */
  | { readonly type: 'done'; readonly output: Output };

/** What is recorded as it comes. `agent`: the sub-agent that said or did it; default: the agent itself. */
export type RecordedEvent =
  | {
      readonly type: 'message';
      readonly role: Message['role'];
      readonly content: unknown;
      readonly agent?: string;
      /** The agent's own id of it. */
      readonly ref?: string;
    }
  /** A person's prompt: the checkpoint before it stays in the list, however many follow. */
  | { readonly type: 'turn'; readonly content: unknown; readonly ref?: string }
  /** Comes before the tool runs: the call is on disk before the tool may begin. */
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input?: unknown;
      readonly agent?: string;
      /** Null for one that only reads. Default: what the task says of the tool. */
      readonly danger?: Danger | null;
      /** It changes no other files than these; they are reserved until the agent rests. Default: any file. */
      readonly writes?: readonly string[];
    }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly output: unknown;
      readonly is_error?: boolean;
      /** As in its call, for one that was not recorded. */
      readonly name?: string;
      readonly input?: unknown;
      readonly agent?: string;
      /** The agent has no ids: where a call with this name and input was cut off, that one is meant. */
      readonly unnamed?: boolean;
    }
  /** It was refused, and did not run. */
  | { readonly type: 'tool_dropped'; readonly id: string; readonly reason?: string }
  /** A sub-agent ended. */
  | {
      readonly type: 'agent_end';
      readonly agent: string;
      readonly output?: unknown;
      readonly is_error?: boolean;
    }
  | ({ readonly type: 'decision'; readonly agent?: string } & Decision);

/** `yield { type: 'wait', ...open }` continues it, and returns at once if the answer has arrived. */
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

/** What an agent's function gets when it starts or resumes. */
export interface AgentStart {
  readonly task_id: string;
  /** It resumes after an earlier run. */
  readonly resumed: boolean;
  /** The conversation so far, trimmed to what an agent can take. */
  readonly context: CheckpointContext;
  /** Tool calls that were in progress when the earlier run ended: they may have had their effect. */
  readonly unfinished: readonly UnfinishedCall[];
  /** The question that was open when the earlier run ended, if it ended there. */
  readonly waiting: OpenWait | null;
  /** Aborted when the task is being paused or stopped. */
  readonly signal: AbortSignal;
}

type Events<Output> = AsyncIterable<AgentEvent<Output>>;
/** A function is called again at every run and can continue from the context; an iterable is used as it is. */
export type Agent<Query, Output> =
  | ((query: Query, start: AgentStart) => Events<Output> | Promise<Events<Output>>)
  | Events<Output>;
