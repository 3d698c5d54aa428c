/** One turn of an agent that runs elsewhere: a run whose function waits, while its events are recorded from outside. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Approval, FoundByAgent } from '../api/attaching.ts';
import { defineTask, type TaskDefinition } from '../api/definition.ts';
import type { DangerOf, Patience } from '../run/agent/calls.ts';
import { recordAgent } from '../run/agent/record.ts';
import { createTaking, findLeftOpen, type Taking } from '../run/agent/taking.ts';
import { nowIso, type RunContext } from '../run/run-context.ts';
import { runContextOf } from '../run/task-context.ts';
import { approvalOf, withdrawApprovals } from './approvals.ts';

export interface AttachedRun extends Taking {
  readonly found: FoundByAgent;
  /** Null until somebody has answered; `look` brings answers that have come. */
  approval(call: string, prompt: string, look: () => Promise<void>): Promise<Approval | null>;
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
    const found = await findLeftOpen(active, record);
    await noteIn(active, note);
    begun.resolve({
      found,
      ...createTaking(active, record, () => withdrawApprovals(active)),
      approval: (call, prompt, look) => approvalOf(active, call, prompt, look),
    });
    return new Promise(() => {}); // It ends at a safe point, when it rests or is stopped.
  };
  const version = hash('sha256', name);
  return { definition: { ...defineTask(name, run, { version }), continues: true }, begun: begun.promise };
}

async function noteIn(active: RunContext, note: SessionNote): Promise<void> {
  const known = active.variables.get('session');
  if (known !== undefined && isDeepStrictEqual(await active.unpack(known), note)) return;
  const { stored: value, blobs } = active.pack(note, 'variables');
  active.variables.set('session', value);
  await active.writer.write({ t: 'set', at: nowIso(active), agent: '', name: 'session', value }, { blobs });
}
