/** What an agent's own program ("client") is to us: its events, its sessions, how it is set up. One object per client. */
import type { Danger } from '../engine/api/context.ts';
import type { ConversationPoint } from '../engine/history/conversation-end.ts';

export type ClientName = 'claude' | 'codex' | 'gemini' | 'opencode';

export interface Client {
  readonly name: ClientName;
  /** As people call it. */
  readonly title: string;
  /**
   * `shared`: a client that starts a host for each sub-agent, or whose hooks are programs, which reach the host by a
   * socket.
   */
  readonly hosts: 'each' | 'shared';
  /** Without a person at its screen it can end a turn before a call, and make the call when it is resumed. */
  readonly defers?: true;
  /** For one process of the client: some have no ids of their own, and are told by what came before. */
  events(): ClientEvents;
  readonly conversations: Conversations;
}

/** From a client's hooks to what is recorded, and back. */
export interface ClientEvents {
  /** What a hook's payload says; nothing for an event that says nothing to us. */
  read(payload: Payload): readonly HookEvent[];
  /** The answer in the client's own form. */
  answer(payload: Payload, verdict: Verdict): unknown;
}

/** As the client sent it, parsed. */
export type Payload = Readonly<Record<string, unknown>>;

/** What every event has. */
export interface Where {
  /** The client's own id of the session. */
  readonly session: string;
  /** The directory it works in. */
  readonly cwd: string;
  /** Where the client keeps the conversation, if that is a file. */
  readonly transcript?: string;
  /** Of the sub-agent that did it, unique within the session, such as `Explore-a1b2`. */
  readonly agent?: string;
}

export type HookEvent = Where &
  (
    | { readonly kind: 'start' }
    /** A person's prompt. */
    | { readonly kind: 'prompt'; readonly content: string; readonly ref?: string }
    /** Something else that a model is told as if by a person. */
    | { readonly kind: 'notice'; readonly content: string }
    | {
        readonly kind: 'call';
        readonly id: string;
        readonly tool: string;
        readonly input: unknown;
        /** Null for a tool that only reads. */
        readonly danger: Danger | null;
        /** Absolute paths; left out if it may change any file. */
        readonly writes?: readonly string[];
      }
    | {
        readonly kind: 'result';
        readonly id: string;
        readonly output: unknown;
        readonly is_error: boolean;
        /** As in its call, which a host that was started since has not seen. */
        readonly tool?: string;
        readonly input?: unknown;
        /** The person has broken off the turn with it. */
        readonly interrupted?: true;
        /** The client names no calls, and this one began before the host: its id is made up. */
        readonly unnamed?: true;
      }
    /** These calls are over; those without a result were refused. */
    | {
        readonly kind: 'calls_over';
        readonly calls: readonly { readonly id: string; readonly reason: string }[];
      }
    | { readonly kind: 'agent_end'; readonly output: unknown; readonly is_error: boolean }
    | {
        /** The turn has ended. */
        readonly kind: 'stop';
        /** What was said last; `whole`: all that was said in the turn. */
        readonly message?: string;
        readonly whole?: true;
        /** Sub-agents still work in the background. */
        readonly busy: boolean;
      }
    /** The session has ended. */
    | { readonly kind: 'end' }
  );

/** What the client is answered. */
export interface Verdict {
  /** Why a call may not run. */
  readonly deny?: string;
  /** A person has allowed it. */
  readonly allow?: string;
  /** Why the client's own person has to be asked. */
  readonly ask?: string;
  /** Why the call has to wait until the session is resumed. */
  readonly defer?: string;
  /** What the model is to know before it goes on. */
  readonly context?: string;
  /** What the person is to know. */
  readonly notice?: string;
}

export interface SessionAt {
  readonly session: string;
  readonly cwd: string;
  readonly transcript?: string;
}

/** A session that was made by cutting another one. */
export interface CutSession extends SessionAt {
  /** False where the client cannot be cut right there, such as between two calls of one answer, or inside a turn. */
  readonly exact: boolean;
  /** Nothing was said before that place: it is a new session, without a conversation. */
  readonly empty: boolean;
}

/** How a client is started. */
export interface ClientCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What the assistant said, from the client's own record. */
export interface SaidMessage {
  /** The client's own id. */
  readonly ref: string;
  readonly content: string;
  readonly agent?: string;
}

export interface Conversations {
  /** Whether a call has failed, where hooks do not tell; undefined if its own record does not say so either. */
  failed?(at: SessionAt, call: string): boolean | undefined;
  /** What the assistant said since that message or prompt, oldest first; all of it where neither is known. */
  said(at: SessionAt, since: string | undefined): Promise<readonly SaidMessage[]>;
  /** A new session that has the conversation up to there; the old one stays as it is. CONVERSATION_UNKNOWN says why not. */
  cut(at: SessionAt, point: ConversationPoint): Promise<CutSession>;
  /** What continues a session, in its directory; `empty` as `cut` said it. `deferred`: a call waits there to be made. */
  resume(at: SessionAt & { readonly empty?: boolean; readonly deferred?: boolean }): ClientCommand;
}

interface SetupOptions {
  /** This project only; default: all of the user's projects. */
  readonly project?: string;
  /** A call is refused where we cannot be reached. */
  readonly strict?: boolean;
  /** Tell the client that the user trusts our hooks, where it asks for that. */
  readonly trust?: boolean;
}

export interface SetupState {
  /** The client is on this machine. */
  readonly found: boolean;
  readonly version: string | null;
  /** By the client's own account. */
  readonly installed: boolean;
  /** Installed, and its hooks will run. */
  readonly active: boolean;
  /** Installed, and calls are refused while they cannot be recorded. */
  readonly strict: boolean;
  /** What the user still has to do, in sentences. */
  readonly missing: readonly string[];
}

/** Registers our plugin with the client, by its own command. */
export interface Setup {
  install(options: SetupOptions): Promise<SetupState>;
  status(options: Pick<SetupOptions, 'project'>): Promise<SetupState>;
  /** The client's files are as they were before. */
  remove(options: Pick<SetupOptions, 'project'>): Promise<SetupState>;
}
