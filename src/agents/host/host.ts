/**
 * The process that records a client's sessions. A hook is answered when what it told is on disk. Whatever goes wrong here
 * must not stop the client: its call runs as without us, unless the user wants it the strict way.
 */
import type { Attached, AttachOptions } from '../../engine/api/attaching.ts';
import type { Engine } from '../../engine/engine.ts';
import { afterRunning } from '../../system/time-limit.ts';
import type { Client, HookEvent, Payload, Verdict } from '../client.ts';
import { workLimit } from '../patience.ts';
import { type HostSession, hostSession } from './session.ts';

/**
 * The answer of another process, in the client's own form; null where there is no such process, which has heard nothing then.
 * Rejects where it may have heard: it may record the hook, so that nobody else may. It may take as long as it likes.
 */
type Forward = (payload: Payload) => Promise<unknown>;

interface HostOptions {
  readonly client: Client;
  /** Opens the engine of the project that this directory is in. */
  readonly open: (cwd: string) => Promise<Engine>;
  /** A call is refused if it cannot be recorded. */
  readonly strict?: boolean;
  /** Nobody sits at the client's screen. */
  readonly unattended?: boolean;
  /** The task that sessions continue, where it is given from outside: that of `exec`, as soon as nobody runs it. */
  readonly task?: string | undefined;
  /** Hands a hook to the process that runs that task, its only writer; null where it takes none. */
  readonly toTask?: Forward | undefined;
  /** Hands a hook to another host, which has the sessions of this client; null where there is none. */
  readonly toHost?: Forward | undefined;
  /** Records a session; default: as a task of its own, or the one it is known as. */
  readonly attach?: ((options: AttachOptions) => Attached) | undefined;
  /** Called with what went wrong; returns what the person is told, or null if that was told before. */
  readonly complain: (error: unknown) => string | null;
  /** How long a hook may take; default: as `patience.ts` has it. */
  readonly limit_ms?: number;
  /** As a session has it. */
  readonly quiet_ms?: number;
  readonly behind_ms?: number;
  /** How long an answer waits for a look at files; as `engine.attach` has it. */
  readonly patience_ms?: number;
}

export interface Host {
  /** The answer in the client's own form. */
  hook(payload: Payload): Promise<unknown>;
  /** The engine and that session, or the one of the newest event; null before the first. */
  current(session?: string): Promise<{ readonly engine: Engine; readonly session: HostSession } | null>;
  /** A turn that has not ended was interrupted with the client: its open calls are told to the next one. */
  close(): Promise<void>;
}

export function openHost(options: HostOptions): Host {
  const { client, complain, limit_ms } = options;
  const events = client.events();
  const sessions = new Map<string, HostSession>();
  let engine: Promise<Engine> | undefined;
  let newest: string | undefined;

  const opened = async (cwd: string): Promise<Engine> => {
    engine ??= options.open(cwd);
    return engine.catch((error: unknown) => {
      engine = undefined; // What is in the way may be gone next time.
      throw error;
    });
  };

  const sessionOf = async ({ session, cwd, transcript }: HookEvent): Promise<HostSession> => {
    const found = await opened(cwd);
    newest = session;
    const known = sessions.get(session);
    if (known) return known;
    const at = { session, cwd, ...(transcript === undefined ? {} : { transcript }) };
    const made = hostSession({ ...options, engine: found }, at);
    sessions.set(session, made);
    return made;
  };

  /** The client is the command of a task that another process runs, which records it. */
  let within: Promise<boolean> | undefined;
  const isCommand = async ([event]: readonly HookEvent[]): Promise<boolean> => {
    const { task } = options;
    if (task === undefined || event === undefined || event.kind === 'start') return false;
    within ??= opened(event.cwd).then(async ({ reader }) => (await reader.holder(task)) !== null);
    return within.catch((error: unknown) => {
      within = undefined;
      throw error;
    });
  };

  const judge = async (event: HookEvent): Promise<Verdict> => {
    if (event.kind === 'start') return {}; // The first prompt tells what there is to tell.
    return (await sessionOf(event)).take(event);
  };

  const judgeAll = async (all: readonly HookEvent[]): Promise<Verdict> => {
    let verdict: Verdict = {};
    for (const event of all) verdict = { ...verdict, ...(await judge(event)) };
    return verdict;
  };

  const answerTo = async (payload: Payload, read: readonly HookEvent[]): Promise<unknown> => {
    const elsewhere = (await options.toHost?.(payload)) ?? null;
    if (elsewhere !== null) return elsewhere;
    if (!(await isCommand(read))) return events.answer(payload, await judgeAll(read));
    const recorded = (await options.toTask?.(payload)) ?? null;
    if (recorded !== null) return recorded;
    within = undefined; // It may have ended.
    return events.answer(payload, (await isCommand(read)) ? {} : await judgeAll(read));
  };

  /** Set while a hook that took too long has not ended, here or where it was handed to: nobody waits for another. */
  let stuck: unknown;
  const inTime = async (payload: Payload, all: readonly HookEvent[]): Promise<unknown> => {
    if (stuck !== undefined) throw stuck;
    const work = answerTo(payload, all);
    const late = (error: Error): void => {
      stuck = error;
      // It was complained of when it was late.
      work
        .catch(() => {})
        .finally(() => {
          stuck = undefined;
        });
    };
    return limited(limit_ms ?? workLimit(all.some(({ kind }) => kind === 'prompt')), work, late);
  };

  return {
    async hook(payload) {
      const read = events.read(payload);
      try {
        return await inTime(payload, read);
      } catch (error) {
        const notice = complain(error);
        const refuse = options.strict && read.some(({ kind }) => kind === 'call');
        return events.answer(payload, {
          ...(refuse ? { deny: notRecorded(error) } : {}),
          ...(notice === null ? {} : { notice }),
        });
      }
    },
    async current(named = newest) {
      const session = sessions.get(named ?? '') ?? sessions.get(newest ?? '');
      return engine && session ? { engine: await engine, session } : null;
    },
    async close() {
      // One that did not open has nothing to close.
      await (await engine?.catch(() => undefined))?.close();
    },
  };
}

/** What was not answered in time may be recorded all the same, once, as soon as what hangs goes on. */
export class TooLate extends Error {}

async function limited<T>(ms: number, work: Promise<T>, isLate: (error: Error) => void): Promise<T> {
  let stop = (): void => {};
  const late = new Promise<never>((_, reject) => {
    stop = afterRunning(ms, () => {
      const error = new TooLate(`No answer within ${ms / 1000} s.`);
      isLate(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    stop();
    work.catch(() => {}); // One that came too late has been complained of.
  }
}

function notRecorded(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `Vibe Engine could not record this call, and --strict is on: ${why}`;
}
