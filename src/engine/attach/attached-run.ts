/** One turn of an agent that runs elsewhere: a run whose function waits, while its events are recorded from outside. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { VibeError } from '../../errors.ts';
import type { RecordedEvent } from '../api/agent-events.ts';
import type { Approval, FoundByAgent } from '../api/attaching.ts';
import { defineTask, type TaskDefinition } from '../api/definition.ts';
import type { DangerOf, Patience } from '../run/agent/calls.ts';
import { type AgentRecord, recordAgent } from '../run/agent/record.ts';
import { nowIso, type RunContext, throughSafePoint } from '../run/run-context.ts';
import { runContextOf } from '../run/task-context.ts';
import { approvalOf, withdrawApprovals } from './approvals.ts';

export interface AttachedRun {
  readonly found: FoundByAgent;
  /** Never resolves if the run ends first. Returns why a tool call is refused. */
  take(event: RecordedEvent): Promise<VibeError | null>;
  /** Null until somebody has answered; `look` brings answers that have come. */
  approval(call: string, prompt: string, look: () => Promise<void>): Promise<Approval | null>;
  /** Ends the calls that have no result yet: their outcome stays unknown. */
  endOpen(): Promise<void>;
}

export interface Waiting {
  readonly definition: TaskDefinition;
  /** Resolves when the run has begun. */
  readonly begun: Promise<AttachedRun>;
}

/** What the task's variable `session` has: at every checkpoint it says which session the agent was in. */
interface SessionNote {
  readonly client: string;
  readonly session: string;
  readonly [more: string]: unknown;
}

export function attachedRun(
  name: string,
  note: SessionNote,
  dangerOf: DangerOf,
  patience: Patience,
): Waiting {
  const begun = Promise.withResolvers<AttachedRun>();
  const run = async (task: Parameters<TaskDefinition['run']>[0]): Promise<never> => {
    const active = runContextOf(task);
    const record = recordAgent(active, dangerOf, patience);
    const found = await lookAround(active, record);
    await noteIn(active, note);
    begun.resolve({ found, ...createTaking(active, record) });
    return new Promise(() => {}); // It ends at a safe point, when it rests or is stopped.
  };
  const version = hash('sha256', name);
  return { definition: { ...defineTask(name, run, { version }), continues: true }, begun: begun.promise };
}

/** An open call holds the safe point: a pause, and a rest, wait for its result. */
function createTaking(active: RunContext, record: AgentRecord): Omit<AttachedRun, 'found'> {
  const { safePoint } = active;
  const holding = new Set<string>();
  const letGo = (call: string): void => {
    if (holding.delete(call)) safePoint.leave();
  };
  return {
    async take(event) {
      if (event.type === 'tool_call') {
        await safePoint.enter();
        holding.add(event.id);
        const refused = await record.take(event);
        if (refused) letGo(event.id);
        return refused;
      }
      if ((event.type === 'tool_result' || event.type === 'tool_dropped') && holding.has(event.id)) {
        await record.take(event);
        void record.looked().then(
          () => letGo(event.id),
          () => letGo(event.id),
        );
        return null;
      }
      return throughSafePoint(active, async () => {
        if (event.type === 'turn') await withdrawApprovals(active);
        return record.take(event);
      });
    },
    approval: (call, prompt, look) => approvalOf(active, call, prompt, look),
    async endOpen() {
      await record.looked();
      for (const call of [...holding]) {
        await record.endUnknown(call);
        letGo(call);
      }
    },
  };
}

async function lookAround(active: RunContext, record: AgentRecord): Promise<FoundByAgent> {
  const { unfinished, changed: answered } = await record.settleUnfinished();
  const own = new Set([...answered, ...unfinished.flatMap(({ files }) => files?.changed ?? [])]);
  const before = await active.lastSnapshot();
  const now = before === undefined ? undefined : await active.snapshot();
  const changed = before && now ? await active.changedBetween(before, now) : [];
  return { unfinished, changed: changed.filter((path) => !own.has(path)) };
}

async function noteIn(active: RunContext, note: SessionNote): Promise<void> {
  const known = active.variables.get('session');
  if (known !== undefined && isDeepStrictEqual(await active.unpack(known), note)) return;
  const { stored: value, blobs } = active.pack(note, 'variables');
  active.variables.set('session', value);
  await active.writer.write({ t: 'set', at: nowIso(active), agent: '', name: 'session', value }, { blobs });
}
