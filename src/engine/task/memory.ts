/** The memory of a task: its journal, reduced to what a resumed run needs. Holds no conversation. */
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { addContext, addSaid, attemptKey, type Counts, NOTHING } from './context-counts.ts';
import type { Entry, EntryOf } from './entries.ts';
import { noteBlobs } from './noted-blobs.ts';
import { type KeptValue, keepValue } from './off-heap.ts';
import type { StoredError } from './stored-error.ts';
import { askAgain, notePassed, noteTimedOut, type TimedOut } from './timed-out.ts';
import { noteSet, type SetInside } from './variables.ts';

export type Remembered =
  | { readonly status: 'success'; readonly result: KeptValue }
  | { readonly status: 'failed'; readonly error: StoredError }
  | { readonly status: 'skipped' };

export interface Memory {
  readonly steps: Map<string, Remembered>;
  /** Attempts that failed since the task was last retried, by step; `earlier` are those before. */
  readonly attempts: Map<string, number>;
  readonly earlier: Map<string, number>;
  /** The indexes of steps that were tried and are not done: they keep them when they are tried again. */
  readonly tried: Map<string, number>;
  /** Dangerous operations without a recorded end: their outcome is unknown. */
  readonly begun: Map<string, EntryOf<'begin'>>;
  /** The results of those that have one: only what they did to files is unknown. */
  readonly results: Map<string, EntryOf<'result'>>;
  /** The files before operations that were interrupted and have failed since: current content may be half theirs. */
  readonly foundFirst: Map<string, string>;
  /** The files it read through `task.files` and did not write itself: it needs them. */
  readonly reads: Set<string>;
  readonly agents: Map<string, EntryOf<'agent'>>;
  readonly waits: Map<string, EntryOf<'wait'>>;
  readonly answers: Map<string, EntryOf<'answer'>>;
  /** The last wait, answered or not, after which nothing else was done. */
  asked: string | null;
  readonly timedOut: TimedOut;
  /** The wait whose time-out the task failed with. */
  failedBy: string | null;
  readonly sleeps: Map<string, string>;
  /** How many entries of the kinds that have no name each scope has recorded outside steps. */
  readonly counts: Map<string, number>;
  readonly variables: Map<string, unknown>;
  readonly setInside: SetInside;
  /** Inbox messages that were taken. */
  readonly taken: Set<string>;
  /** The blobs the journal refers to. */
  readonly blobs: Set<string>;
  context: Counts;
  /** What the attempts in progress have said: it is context once the attempt has succeeded. */
  readonly said: Map<string, Counts>;
  progress: { percent: number; note: string | null };
  /** The last result of checking the work; packed. */
  verification: unknown;
  iteration: number;
  stepIndex: number;
  lastStep: LastStep | null;
  /** The last entry of the task's own journal included here. */
  seq: number;
  recoveries: number;
  /** The last entries were damaged, and nothing was done since: files may be beyond the journal. */
  mended: boolean;
}

export interface LastStep {
  readonly id: string;
  readonly name: string;
  readonly status: 'success' | 'failed';
  readonly error: StoredError | null;
  /** Its context; packed. */
  readonly context: unknown;
}

export function emptyMemory(): Memory {
  return {
    steps: new Map(),
    attempts: new Map(),
    earlier: new Map(),
    tried: new Map(),
    begun: new Map(),
    results: new Map(),
    foundFirst: new Map(),
    reads: new Set(),
    agents: new Map(),
    waits: new Map(),
    answers: new Map(),
    asked: null,
    timedOut: new Map(),
    failedBy: null,
    sleeps: new Map(),
    counts: new Map(),
    variables: new Map(),
    setInside: new Map(),
    taken: new Set(),
    blobs: new Set(),
    context: NOTHING,
    said: new Map(),
    progress: { percent: 0, note: null },
    verification: null,
    iteration: 0,
    stepIndex: 0,
    lastStep: null,
    seq: 0,
    recoveries: 0,
    mended: false,
  };
}

/** Adds one more entry. */
export function remember(memory: Memory, entry: Entry): void {
  if (entry.t === 'set') noteSet(memory.setInside, entry);
  take(memory, entry);
}

/** `done`: by this run itself, which does not need the result again. */
function take(memory: Memory, entry: Entry, done = false): void {
  noteBlobs(memory.blobs, entry, done);
  if (DOING.has(entry.t)) memory.asked = null;
  if (LEADS_ON.has(entry.t)) notePassed(memory);
  switch (entry.t) {
    case 'begin':
      noteBegin(memory, entry);
      for (const path of entry.paths ?? []) memory.reads.delete(path);
      memory.tried.set(entry.id, entry.index);
      break;
    case 'result':
      memory.results.set(entry.id, entry);
      break;
    case 'step':
      if (done) memory.steps.delete(entry.id);
      else memory.steps.set(entry.id, { status: 'success', result: keepValue(entry.result) });
      memory.tried.delete(entry.id);
      memory.foundFirst.delete(entry.id);
      for (const path of entry.reads ?? []) memory.reads.add(path);
      endStep(memory, entry, 'success');
      addSaid(memory, entry.id, entry.attempt);
      break;
    case 'failure':
      memory.attempts.set(entry.id, Math.max(1, entry.attempt - (memory.earlier.get(entry.id) ?? 0)));
      memory.tried.set(entry.id, entry.index);
      if (!entry.final) endBegun(memory, entry.id);
      memory.said.delete(attemptKey(entry.id, entry.attempt));
      if (entry.final) {
        memory.steps.set(entry.id, { status: 'failed', error: entry.error });
        endStep(memory, entry, 'failed');
      }
      break;
    case 'skip':
      memory.steps.set(entry.id, { status: 'skipped' });
      endBegun(memory, entry.id);
      memory.stepIndex = Math.max(memory.stepIndex, entry.index + 1);
      break;
    case 'message':
    case 'tool':
    case 'decision':
      if (!entry.in) bump(memory, countKey(entry.agent, entry.t));
      addContext(memory, entry.t, sizeOf(entry), entry.in);
      break;
    case 'wait':
      memory.waits.set(entry.id, entry);
      memory.asked = entry.id;
      break;
    case 'answer':
      memory.answers.set(entry.id, entry);
      if (entry.message) memory.taken.add(entry.message);
      if (entry.outcome === 'withdrawn') memory.asked = null;
      if (entry.outcome === 'timed_out') noteTimedOut(memory, entry.id);
      break;
    case 'sleep':
      memory.sleeps.set(entry.id, entry.until);
      break;
    case 'agent':
      if (done) memory.agents.delete(entry.id);
      else memory.agents.set(entry.id, entry);
      break;
    case 'progress':
      if (!entry.in) bump(memory, countKey(entry.agent, entry.t));
      memory.progress = { percent: entry.percent, note: entry.note };
      break;
    case 'set':
      if (!entry.in) bump(memory, countKey(entry.agent, entry.t));
      memory.variables.set(entry.name, entry.value);
      break;
    case 'verified':
      if (!entry.in) bump(memory, countKey(entry.agent, entry.t));
      memory.verification = entry.results;
      break;
    case 'recovery':
      memory.said.clear(); // Here and below: what was in progress starts again, and says it again.
      memory.mended = entry.mended !== undefined;
      if (!entry.mended) memory.recoveries++;
      break;
    case 'retry':
      memory.said.clear();
      forgetFailures(memory);
      break;
    case 'rollback':
    case 'fork':
      memory.said.clear();
      for (const id of entry.settled) endBegun(memory, id);
      break;
    case 'status':
      memory.failedBy = entry.wait ?? null;
  }
}

/** An interrupted operation may have changed files since its first start, even if it was tried again and failed. */
function noteBegin({ begun, foundFirst }: Memory, begin: EntryOf<'begin'>): void {
  const first = begun.get(begin.id)?.snapshot ?? foundFirst.get(begin.id);
  if (first !== undefined) foundFirst.set(begin.id, first);
  begun.delete(begin.id); // The newest is the last.
  begun.set(begin.id, first === undefined ? begin : { ...begin, snapshot: first });
}

function endBegun({ begun, results }: Memory, id: string): void {
  begun.delete(id);
  results.delete(id);
}

/** What an agent itself records when it continues. Its interrupted calls are recorded for it, as failures. */
const DOING: ReadonlySet<Entry['t']> = new Set(['message', 'decision', 'begin', 'step']);

/** Entries after a timed-out wait: from then on the question is not asked again. */
const LEADS_ON: ReadonlySet<Entry['t']> = new Set(['begin', 'step', 'skip', 'wait', 'sleep']);

/** The recorded result of a step or an agent, removed once read: a run needs each only once. */
export function recall<T>(known: Map<string, T>, id: string): T | undefined {
  const found = known.get(id);
  known.delete(id);
  return found;
}

/** Adds what this run has done itself, without the results, which nobody needs again. */
export function rememberDone(memory: Memory, entry: Entry): void {
  take(memory, entry, true);
}

export type Counted = 'message' | 'tool' | 'decision' | 'progress' | 'set' | 'verified';

/** The key under which a scope's recorded entries of a kind are counted. */
export function countKey(agent: string, kind: Counted): string {
  return `${agent}|${kind}`;
}

export function unanswered(memory: Memory): EntryOf<'wait'>[] {
  return [...memory.waits.values()].filter((wait) => !memory.answers.has(wait.id));
}

function endStep(
  memory: Memory,
  entry: EntryOf<'step'> | EntryOf<'failure'>,
  status: 'success' | 'failed',
): void {
  const input = entry.tool?.input ?? memory.begun.get(entry.id)?.tool?.input;
  endBegun(memory, entry.id);
  memory.iteration++;
  memory.stepIndex = Math.max(memory.stepIndex, entry.index + 1);
  const error = entry.t === 'failure' ? entry.error : null;
  const context = entry.context ?? input ?? null;
  memory.lastStep = { id: entry.id, name: entry.name, status, error, context };
  if (entry.tool) addContext(memory, 'tool', entry.tool.bytes);
}

/**
 * A retry runs what failed again, with all its attempts, and asks again the question whose missing answer failed the task.
 */
function forgetFailures(memory: Memory): void {
  for (const [id, remembered] of memory.steps) if (remembered.status === 'failed') memory.steps.delete(id);
  for (const [id, agent] of memory.agents) if (agent.status === 'failed') memory.agents.delete(id);
  for (const [id, made] of memory.attempts) memory.earlier.set(id, made + (memory.earlier.get(id) ?? 0));
  memory.attempts.clear();
  askAgain(memory);
}

function sizeOf(entry: EntryOf<'message'> | EntryOf<'tool'> | EntryOf<'decision'>): number {
  return entry.t === 'message' ? (entry.bytes ?? roughSize(entry.content)) : entry.bytes;
}

function bump(memory: Memory, key: string): void {
  memory.counts.set(key, (memory.counts.get(key) ?? 0) + 1);
}
