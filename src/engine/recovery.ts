/**
 * Taking up a task that has run before: find the newest checkpoint that can be used, check that the world is still as it
 * needs to be, and only then change anything.
 */
import type { CheckpointRecord } from '../checkpoint/record.ts';
import { validateCheckpoint } from '../checkpoint/validate.ts';
import { CorruptError, EngineError } from '../errors.ts';
import type { Claim, Storage } from '../storage/contract.ts';
import type { TaskState } from '../task/state.ts';
import { type CheckpointPlace, liveCheckpoints, tryCheckpoint } from './checkpoints.ts';
import { clipRanges } from './cut.ts';
import type { UpstreamOptions } from './drift/asking.ts';
import type { FileChoices } from './files/choices.ts';
import { decideOutside, type OutsideChoices } from './files/outside.ts';
import { type Head, headRecord } from './head.ts';
import { ask, tell } from './hooks.ts';
import type { RunHost } from './host.ts';
import { readMemory } from './journal.ts';
import { type Memory, remember } from './memory.ts';
import type { Prompter } from './prompter.ts';
import { worldOf } from './world.ts';

/** The choices are about the task's files that others changed meanwhile; as configured unless told. */
export interface RecoveryOptions extends FileChoices, UpstreamOptions {
  /** What to do when the environment is not as the checkpoint needs it; asked unless told. */
  readonly on_environment?: 'continue' | 'abort';
}

export interface Recovered {
  readonly head: Head;
  readonly memory: Memory;
  readonly checkpoint: CheckpointRecord | null;
  readonly notes: readonly string[];
}

export interface RecoveryHost extends RunHost {
  readonly prompter: Prompter | undefined;
  readonly notify: (lines: readonly string[]) => void;
}

/** Everything that may refuse comes before the first write. */
export async function recover(
  host: RecoveryHost,
  claim: Claim,
  head: Head,
  state: TaskState,
  options: RecoveryOptions & { readonly notes?: readonly string[] },
): Promise<Recovered> {
  const { storage } = host;
  const began = performance.now();
  if (state.status === 'queued') {
    await host.drift.begin(claim);
    return { head, memory: await readMemory(storage, head), checkpoint: null, notes: [] };
  }
  const read = await tryMemory(storage, head);
  const { checkpoint, beyond, ...found } = await findCheckpoint(host, head, read.end);
  const notes = [...(options.notes ?? []), ...found.notes];
  await ask(host.hooks.beforeRecovery, 'beforeRecovery', {
    task: head.task_id,
    checkpoint: checkpoint?.id ?? null,
    notes,
  });
  const { task_name } = head;
  const progress = read.memory?.progress.percent ?? 0;
  const drift = await host.drift.beforeResume({ claim, task_name, progress, options });
  if (checkpoint) {
    const blobs = read.memory?.blobs ?? new Set<string>();
    notes.push(...(await checkEnvironment(host, head, checkpoint, blobs, options)));
  }
  await drift.apply();
  notes.push(...drift.notes);
  if (!read.memory) {
    const repair = await storage.repair(head.task_id, { fence: claim.fence });
    if (repair) notes.push(`${repair.message} What was damaged is kept in ${repair.aside}.`);
  }
  const memory = read.memory ?? (await readMemory(storage, head));
  const unknown = [...memory.begun.keys()];
  const recovery = {
    t: 'recovery' as const,
    at: host.clock.now().toISOString(),
    checkpoint: checkpoint?.id ?? null,
    notes,
    unknown,
  };
  const end = await storage.position(head.task_id);
  const usable = withinJournal(head, end.seq);
  await storage.commit({
    task: head.task_id,
    fence: claim.fence,
    records: [
      ...(usable === head ? [] : [headRecord(usable)]),
      ...[...beyond, ...head.undone.filter((rollback) => !usable.undone.includes(rollback))].map(
        ({ key }) => ({ category: 'tasks', key, remove: true }) as const,
      ),
    ],
    append: { after: end, entries: [recovery] },
  });
  remember(memory, recovery);
  host.emit({
    type: 'recovery',
    task: head.task_id,
    checkpoint: checkpoint?.id ?? null,
    notes,
    unknown,
    duration_ms: performance.now() - began,
  });
  host.notify(notice(head, state, memory, notes));
  const done = { task: head.task_id, checkpoint: checkpoint?.id ?? null, notes };
  await tell(host.hooks.afterRecovery, 'afterRecovery', done);
  return { head: usable, memory, checkpoint, notes };
}

/** The newest checkpoint that is whole and within the journal; says of each one it passed over why. */
export async function findCheckpoint(
  host: Pick<RunHost, 'storage'>,
  head: Head,
  journalEnd: number,
): Promise<{ checkpoint: CheckpointRecord | null; notes: string[]; beyond: CheckpointPlace[] }> {
  const notes: string[] = [];
  const beyond: CheckpointPlace[] = [];
  const places = await liveCheckpoints(host.storage, head.task_id);
  for (const place of places.toReversed()) {
    const found = await tryCheckpoint(host.storage, head.task_id, place);
    if ('problem' in found) notes.push(`Checkpoint ${place.sequence} was passed over: ${found.problem}`);
    else if (!(await isInJournal(host.storage, head, found.record, journalEnd))) {
      notes.push(`Checkpoint ${place.sequence} was passed over: the journal is damaged before it.`);
      beyond.push(place);
    } else return { checkpoint: found.record, notes, beyond };
  }
  return { checkpoint: null, notes, beyond };
}

/** Entries that took the place of damaged ones have their numbers, but not their hashes. */
async function isInJournal(
  storage: Storage,
  { task_id }: Head,
  { journal: { seq, hash } }: CheckpointRecord,
  journalEnd: number,
): Promise<boolean> {
  if (seq > journalEnd) return false;
  // From the end, near which it is; a damaged journal can only be read from its beginning.
  const range = { from: seq, to: seq, reverse: journalEnd === WHOLE };
  for await (const entry of storage.read(task_id, range)) return entry.hash === hash;
  return false;
}

/** Where a journal ends that has no damage in it. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** A repaired journal gives numbers out again: what was rolled back beyond its end no longer concerns them. */
function withinJournal(head: Head, end: number): Head {
  const isWithin = ({ to }: { readonly to: number }): boolean => to < end; // The rollback is the entry after it.
  if (head.undone.every(isWithin) && head.dead.every(([, to]) => to <= end)) return head;
  return { ...head, dead: clipRanges(head.dead, end), undone: head.undone.filter(isWithin) };
}

/** The memory, or how far the journal can be read before the damage in it. */
async function tryMemory(storage: Storage, head: Head): Promise<{ memory: Memory | null; end: number }> {
  try {
    return { memory: await readMemory(storage, head), end: WHOLE };
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  let end = 0;
  try {
    for await (const { seq } of storage.read(head.task_id)) end = seq;
  } catch (error) {
    if (!(error instanceof CorruptError)) throw error;
  }
  return { memory: null, end };
}

/** Asks where something is amiss; throws unless the answer is to go on. Answers what it did about it. */
export async function checkEnvironment(
  host: RecoveryHost,
  head: Head,
  checkpoint: CheckpointRecord,
  blobs: ReadonlySet<string>,
  options: RecoveryOptions & Pick<OutsideChoices, 'except'>,
): Promise<string[]> {
  const prompter = options.prompter ?? host.prompter;
  const outside = await decideOutside(host, checkpoint, options, prompter);
  const validation = await validateCheckpoint(checkpoint, worldOf(host, head, blobs, outside.open));
  if (validation.valid) return outside.apply();
  const message = `The environment of task "${head.task_name}" is not what it needs: ${validation.problems.join(' ')}`;
  const data = { task: head.task_id, checkpoint: checkpoint.id, validation };
  const choice =
    options.on_environment ??
    (await prompter?.ask({
      kind: 'environment',
      task: head.task_id,
      message,
      options: ['continue', 'abort'],
      data,
    }));
  if (choice === 'continue') return outside.apply();
  if (choice === 'abort') {
    throw new EngineError('ENVIRONMENT_CHANGED', message, {
      data,
      hint: 'Put it right, then resume the task again.',
    });
  }
  throw new EngineError('NEEDS_ANSWER', message, {
    data,
    hint: 'Put it right, or say what to do: on_environment "continue" or "abort", or a prompter that can ask.',
  });
}

function notice(head: Head, state: TaskState, memory: Memory, notes: readonly string[]): string[] {
  const instructions = state.status === 'paused' ? state.data.resume_instructions : null;
  const { progress, lastStep, iteration } = memory;
  const done = lastStep
    ? `${lastStep.name} ${lastStep.status === 'success' ? 'done' : 'failed'}`
    : 'nothing done yet';
  return [
    `🔄 Resuming task: ${head.task_name}`,
    `📍 Continuing from iteration ${iteration}`,
    `📝 Last progress: ${progress.note ?? done} (${Math.floor(progress.percent)} %)`,
    ...(instructions === null ? [] : [`📌 ${instructions}`]),
    ...notes,
  ];
}
