/** One session of a client: its events are recorded, and answered. */
import type { Attached, AttachOptions } from '../../engine/api/attaching.ts';
import type { Engine } from '../../engine/engine.ts';
import type { VibeError } from '../../errors.ts';
import { sleepFor } from '../../system/time-limit.ts';
import type { Client, HookEvent, SaidMessage, SessionAt, Verdict } from '../client.ts';
import { ALLOWED, approve, needsApproval } from './approving.ts';
import { createCutOffCalls } from './cut-off-calls.ts';
import { heldByOthers } from './held.ts';
import { refusalText } from './refusal.ts';
import { newsText } from './telling.ts';
import { unrecorded } from './unrecorded.ts';

export interface HostSession {
  /** Null until something is recorded. */
  task(): string | null;
  take(event: HookEvent): Promise<Verdict>;
  /**
   * Takes the task back or forth for a call of its own turn; `work` says whether it did. Then what is left of the turn is not
   * recorded: it would be the task going on from there. A call that may change something is recorded all the same.
   */
  move(work: () => Promise<boolean>): Promise<void>;
}

interface SessionServices {
  readonly client: Client;
  readonly engine: Engine;
  /** Records a session; default: as a task of its own, or the one it is known as. */
  readonly attach?: ((options: AttachOptions) => Attached) | undefined;
  /** The task to continue, where the session is not known yet. */
  readonly task?: string | undefined;
  readonly patience_ms?: number | undefined;
  /** After that long without an event, and without a call that runs, a turn counts as broken off; default: 5 minutes. */
  readonly quiet_ms?: number | undefined;
  /** How long the end of a turn waits for the client's own record of it; default: 300 ms. */
  readonly behind_ms?: number | undefined;
  /** Nobody sits at the client's screen. */
  readonly unattended?: boolean;
}

const NOTHING: Verdict = {};

/** Not every client tells that its person broke off a turn, and the files of the turn stay reserved until it ends. */
const QUIET_MS = 5 * 60_000;

/** Claude Code writes its own record up to 100 ms after it said something. */
const BEHIND_MS = 300;
const LOOK_MS = 20;

/** Our own tools, as any client names them. */
const MOVING = /vibe.*_(?:rewind|redo)$/;

export function hostSession(
  {
    client,
    engine,
    attach = engine.attach,
    task,
    patience_ms,
    quiet_ms = QUIET_MS,
    behind_ms = BEHIND_MS,
    unattended = false,
  }: SessionServices,
  at: SessionAt,
): HostSession {
  const attached: Attached = attach({
    client: client.name,
    session: at.session,
    details: { cwd: at.cwd, ...(at.transcript === undefined ? {} : { transcript: at.transcript }) },
    ...(task === undefined ? {} : { task }),
    ...(patience_ms === undefined ? {} : { patience_ms }),
  });
  const again = createCutOffCalls();
  /** The newest message or prompt that was recorded, by the client's own id. */
  let last: string | undefined;
  let busy = false;
  /** No turn is open: what comes now belongs to one that has ended. */
  let ended = false;
  /** Calls that were told and have no end yet. */
  const open = new Map<string, string>();
  /** Since the task was moved in this turn: nothing is recorded that only tells of it. */
  let moved = false;
  /** The call that waits for a person's approval. */
  let waiting: string | undefined;
  /** Calls whose end is recorded already, or is not to be. */
  const settled = new Set<string>();

  const prompt = async ({ content, ref }: Extract<HookEvent, { kind: 'prompt' }>): Promise<Verdict> => {
    moved = false;
    ended = false;
    waiting = undefined;
    open.clear();
    settled.clear();
    // A turn that the person broke off has no end of its own.
    if (!busy) await attached.endTurn();
    await attached.record({ type: 'turn', content, ...(ref === undefined ? {} : { ref }) });
    last = ref ?? last;
    return news();
  };

  const news = async (): Promise<Verdict> => {
    const { unfinished, changed } = await attached.found();
    again.remember(unfinished);
    const held = await heldByOthers(engine, attached.task);
    const context = newsText({ cut_off: unfinished, changed, held });
    return context === undefined ? NOTHING : { context };
  };

  const call = async (event: Extract<HookEvent, { kind: 'call' }>): Promise<Verdict> => {
    const { id, tool: name, input, danger, writes, agent } = event;
    const cutOff = again.isRepeated(name, input);
    if (cutOff !== null) {
      // It did not run: nothing is reserved for it.
      const refused = await attached.record({
        type: 'tool_call',
        id,
        name,
        input,
        danger: null,
        ...by(agent),
      });
      if (!refused) await attached.record({ type: 'tool_dropped', id, reason: cutOff });
      return { deny: cutOff };
    }
    const guarded = needsApproval(engine.config.agents.approve, name, input);
    if (moved && danger === null && !guarded) {
      settled.add(id);
      return NOTHING;
    }
    moved = false;
    ended = false;
    open.set(id, name);
    if (guarded) waiting ??= id; // Before anything is awaited: calls of one answer come side by side.
    const verdict = guarded ? await approve({ client, attached, unattended, waiting }, event) : null;
    if (verdict?.defer !== undefined) return verdict;
    if (waiting === id) waiting = undefined;
    const refused = await attached.record({
      type: 'tool_call',
      id,
      name,
      input,
      danger,
      ...(writes ? { writes } : {}),
      ...by(agent),
    });
    if (refused) return { deny: await refusalText(engine, refused) };
    if (verdict?.deny !== undefined)
      await attached.record({ type: 'tool_dropped', id, reason: verdict.deny });
    return verdict ?? (guarded ? { allow: ALLOWED } : NOTHING);
  };

  /** A host that was started in the middle of a turn does not know what of it is recorded: then the end alone is. */
  const saidSince = async (since: string | undefined): Promise<readonly SaidMessage[]> => {
    if (since === undefined) return [];
    // The turn ends all the same where the client's own record cannot be read.
    return client.conversations.said(at, since).catch(() => []);
  };

  /** A record without the last words lacks others, too, as soon as the turn was short. */
  const saidUpTo = async (event: Extract<HookEvent, { kind: 'stop' }>): Promise<readonly SaidMessage[]> => {
    for (let waited = 0; ; waited += LOOK_MS) {
      const said = await saidSince(last);
      const whole = last === undefined || unrecorded(event, said) === undefined;
      if (whole || waited >= behind_ms) return said;
      await sleepFor(LOOK_MS, undefined);
    }
  };

  const stop = async (event: Extract<HookEvent, { kind: 'stop' }>): Promise<void> => {
    if (moved) return;
    const said = await saidUpTo(event);
    for (const { ref, content, agent } of said) {
      await attached.record({ type: 'message', role: 'assistant', content, ref, ...by(agent) });
      last = ref;
    }
    const content = unrecorded(event, said);
    if (content !== undefined) await attached.record({ type: 'message', role: 'assistant', content });
    busy = event.busy;
    if (!busy) await endTurn();
  };

  /** The task is free, and so are the files of the turn. */
  const endTurn = async (): Promise<void> => {
    ended = true;
    for (const id of open.keys()) settled.add(id); // Their outcome is recorded as unknown, or as refused.
    open.clear();
    await attached.endTurn();
  };

  const hasFailed = ({ id, transcript = at.transcript }: Extract<HookEvent, { kind: 'result' }>): boolean => {
    const where = { ...at, ...(transcript === undefined ? {} : { transcript }) };
    return client.conversations.failed?.(where, id) ?? false;
  };

  const take = async (event: HookEvent): Promise<VibeError | null> => {
    if (moved || (event.kind === 'result' && settled.has(event.id))) return null;
    switch (event.kind) {
      case 'notice':
        return attached.record({
          type: 'message',
          role: 'user',
          content: event.content,
          ...by(event.agent),
        });
      case 'result':
        open.delete(event.id);
        return attached.record({
          type: 'tool_result',
          id: event.id,
          output: event.output,
          is_error: event.is_error || hasFailed(event),
          ...(event.tool === undefined ? {} : { name: event.tool, input: event.input }),
          ...(event.unnamed ? { unnamed: true } : {}),
          ...by(event.agent),
        });
      case 'calls_over':
        for (const { id, reason } of event.calls) await attached.record({ type: 'tool_dropped', id, reason });
        return null;
      case 'agent_end':
        if (event.agent === undefined) return null;
        return attached.record({
          type: 'agent_end',
          agent: event.agent,
          output: event.output,
          is_error: event.is_error,
        });
      default:
        return null;
    }
  };

  let quiet: NodeJS.Timeout | undefined;
  const listen = (): void => {
    clearTimeout(quiet);
    if (ended || busy || open.size > 0) return;
    // The next event meets what is wrong, and reports it.
    quiet = setTimeout(() => void endTurn().catch(() => {}), quiet_ms).unref();
  };

  const answer = async (event: HookEvent): Promise<Verdict> => {
    switch (event.kind) {
      case 'prompt':
        return prompt(event);
      case 'call': {
        const verdict = await call(event);
        if (verdict.deny !== undefined) {
          open.delete(event.id);
          settled.add(event.id);
        }
        return verdict;
      }
      case 'stop':
        await stop(event);
        return NOTHING;
      case 'end':
        await attached.leave();
        return NOTHING;
      default:
        await take(event);
        // Nothing else would end the turn after it.
        if (ended || (event.kind === 'result' && event.interrupted)) await endTurn();
        return NOTHING;
    }
  };

  return {
    task: () => attached.task,
    async take(event) {
      clearTimeout(quiet);
      try {
        return await answer(event);
      } finally {
        listen();
      }
    },
    async move(work) {
      for (const [id] of [...open].filter(([, tool]) => MOVING.test(tool))) {
        await attached.record({ type: 'tool_result', id, output: null });
        open.delete(id);
        settled.add(id);
      }
      await attached.endTurn(); // The task must be free.
      if (!(await work())) return;
      moved = true;
      last = undefined;
      for (const id of open.keys()) settled.add(id);
      open.clear();
    },
  };
}

function by(agent: string | undefined): { agent?: string } {
  return agent === undefined ? {} : { agent };
}
