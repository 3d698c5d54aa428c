/** Where in a task's journal a step starts, so that the task can be rolled back to before it. */
import { nearest } from '../../config/nearest.ts';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Cut } from './cut.ts';
import type { Entry } from './entries.ts';
import { liveEntries } from './journal.ts';
import { escapeName } from './occurrences.ts';
import type { Head } from './records/head.ts';

interface FoundStep {
  readonly id: string;
  /** The last entry before its first. */
  readonly cut: Cut;
  /** It failed finally, and nothing has ended since. */
  readonly failedLast: boolean;
}

interface Seen {
  readonly id: string;
  name: string | null;
  readonly cut: Cut;
  failed: boolean;
}

/** By its id or its name. Of several with that name, the one that failed last; if none failed, the newest. */
export async function findStep(storage: Storage, head: Head, wanted: string): Promise<FoundStep> {
  const { seen, lastEnded } = await allSteps(storage, head);
  const named = seen.filter((step) => step.id === wanted || isNamed(step, wanted));
  const step = named.findLast(({ failed }) => failed) ?? named.at(-1);
  if (!step) throw unknownStep(head, wanted, seen);
  return { id: step.id, cut: step.cut, failedLast: step.failed && lastEnded === step.id };
}

/** The step that failed finally after all others had ended; null where the task failed otherwise. */
export async function failedStep(storage: Storage, head: Head): Promise<FoundStep | null> {
  const { seen, lastEnded } = await allSteps(storage, head);
  const step = seen.find(({ id, failed }) => failed && id === lastEnded);
  return step ? { id: step.id, cut: step.cut, failedLast: true } : null;
}

/** The newest is the last. */
async function allSteps(
  storage: Storage,
  head: Head,
): Promise<{ readonly seen: readonly Seen[]; readonly lastEnded: string | null }> {
  const seen = new Map<string, Seen>();
  let lastEnded: string | null = null;
  for await (const { task, seq, entry } of liveEntries(storage, head)) {
    const id = stepOf(entry);
    if (id === null) continue;
    const step = seen.get(id) ?? { id, name: null, cut: { task, seq: seq - 1 }, failed: false };
    seen.delete(id);
    seen.set(id, step);
    if ('name' in entry) step.name = entry.name;
    if (entry.t === 'failure') step.failed = entry.final;
    if (entry.t === 'step') step.failed = false;
    if (entry.t === 'step' || (entry.t === 'failure' && entry.final)) lastEnded = id;
  }
  return { seen: [...seen.values()], lastEnded };
}

/** The step an entry belongs to, or null. */
function stepOf(entry: Entry): string | null {
  switch (entry.t) {
    case 'begin':
    case 'step':
    case 'failure':
    case 'skip':
      return entry.id;
    case 'message':
    case 'tool':
    case 'decision':
    case 'progress':
    case 'set':
    case 'verified':
      return entry.in?.step ?? null;
    default:
      return null;
  }
}

/** An interrupted one has only recorded its id. */
function isNamed({ id, name }: Seen, wanted: string): boolean {
  return name === null
    ? id.slice(0, id.lastIndexOf('#')).endsWith(`/${escapeName(wanted)}`)
    : name === wanted;
}

function unknownStep(head: Head, wanted: string, seen: readonly Seen[]): InvalidInputError {
  const known = seen.map(({ id }) => id);
  const near = nearest(wanted, [...seen.flatMap(({ name }) => name ?? []), ...known]);
  const newest = phrase`Its newest steps: ${known.slice(-5).join(', ')}.`;
  const has = known.length > 0 ? newest : phrase`It has recorded no steps yet.`;
  return new InvalidInputError('USAGE', phrase`Task "${head.task_name}" has recorded no step "${wanted}".`, {
    data: { task: head.task_id, step: wanted, known: known.slice(-20) },
    hint: near === undefined ? has : `${phrase`Did you mean "${near}"?`} ${has}`,
  });
}
