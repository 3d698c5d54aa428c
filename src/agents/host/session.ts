/** One session of a client: its events are recorded, and answered. */
import type { Attached } from '../../engine/api/attaching.ts';
import type { Engine } from '../../engine/engine.ts';
import type { VibeError } from '../../errors.ts';
import type { Client, SaidMessage, SessionAt, Told, Verdict } from '../client.ts';
import { cutOffOnce } from './again.ts';
import { ALLOWED, approve, needsApproval } from './approving.ts';
import { heldByOthers } from './held.ts';
import { refusalText } from './refusal.ts';
import { newsText } from './telling.ts';

export interface HostSession {
  /** Null until something is recorded. */
  task(): string | null;
  take(told: Told): Promise<Verdict>;
  /** The turn is over, as far as we are concerned: others may change the task. */
  rest(): Promise<void>;
}

export interface SessionServices {
  readonly client: Client;
  readonly engine: Engine;
  /** The task to continue, where the session is not known yet. */
  readonly task?: string | undefined;
  readonly patience_ms?: number | undefined;
  /** Nobody sits at the client's screen. */
  readonly unattended?: boolean;
}

const NOTHING: Verdict = {};

export function hostSession(
  { client, engine, task, patience_ms, unattended = false }: SessionServices,
  at: SessionAt,
): HostSession {
  const attached: Attached = engine.attach({
    client: client.name,
    session: at.session,
    details: { cwd: at.cwd, ...(at.transcript === undefined ? {} : { transcript: at.transcript }) },
    ...(task === undefined ? {} : { task }),
    ...(patience_ms === undefined ? {} : { patience_ms }),
  });
  const again = cutOffOnce();
  /** The newest message or prompt that was recorded, by the client's own id. */
  let last: string | undefined;
  let busy = false;

  const prompt = async ({ content, ref }: Extract<Told, { kind: 'prompt' }>): Promise<Verdict> => {
    // A turn that the person broke off has no end of its own.
    if (!busy) await attached.rest();
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

  const call = async (told: Extract<Told, { kind: 'call' }>): Promise<Verdict> => {
    const { id, tool: name, input, danger, writes, agent } = told;
    const cutOff = again.isRepeated(name, input);
    if (cutOff !== null) return { deny: cutOff };
    const guarded = needsApproval(engine.config.agents.approve, name, input);
    const verdict = guarded ? await approve({ client, attached, unattended }, told) : null;
    if (verdict?.defer !== undefined) return verdict;
    const refused = await attached.record({
      type: 'tool_call',
      id,
      name,
      input,
      danger,
      ...(writes ? { writes } : {}),
      ...(agent === undefined ? {} : { agent }),
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

  const stop = async (told: Extract<Told, { kind: 'stop' }>): Promise<void> => {
    const said = await saidSince(last);
    for (const { ref, content, agent } of said) {
      const of = agent === undefined ? {} : { agent };
      await attached.record({ type: 'message', role: 'assistant', content, ref, ...of });
      last = ref;
    }
    const missing = told.message !== undefined && said.at(-1)?.content !== told.message;
    if (missing) await attached.record({ type: 'message', role: 'assistant', content: told.message });
    busy = told.busy;
    if (!busy) await attached.rest();
  };

  const take = async (told: Told): Promise<VibeError | null> => {
    switch (told.kind) {
      case 'notice':
        return attached.record({
          type: 'message',
          role: 'user',
          content: told.content,
          ...(told.agent === undefined ? {} : { agent: told.agent }),
        });
      case 'result':
        return attached.record({
          type: 'tool_result',
          id: told.id,
          output: told.output,
          is_error: told.is_error,
          ...(told.tool === undefined ? {} : { name: told.tool, input: told.input }),
          ...(told.agent === undefined ? {} : { agent: told.agent }),
        });
      case 'calls_over':
        for (const { id, reason } of told.calls) await attached.record({ type: 'tool_dropped', id, reason });
        return null;
      case 'agent_end':
        if (told.agent === undefined) return null;
        return attached.record({
          type: 'agent_end',
          agent: told.agent,
          output: told.output,
          is_error: told.is_error,
        });
      default:
        return null;
    }
  };

  return {
    task: () => attached.task,
    async take(told) {
      switch (told.kind) {
        case 'prompt':
          return prompt(told);
        case 'call':
          return call(told);
        case 'stop':
          await stop(told);
          return NOTHING;
        case 'end':
          await attached.leave();
          return NOTHING;
        default:
          await take(told);
          return NOTHING;
      }
    },
    rest: () => attached.rest(),
  };
}
