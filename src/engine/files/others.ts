/** What other tasks did to the same files in the meantime, from their journals. */
import { answering, isDamage, VibeError } from '../../errors.ts';
import { loadState } from '../../persistence/state-records.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyTask } from '../../storage/walk.ts';
import { timeOfId } from '../../system/ids.ts';
import { diffKnown, type TreeChange } from '../../workspace/tree/diff.ts';
import type { Tree } from '../../workspace/tree/tree.ts';
import { type DoneSpan, spansDone } from '../history/done.ts';
import { type Head, loadHead } from '../task/records/head.ts';
import { ofFiles } from './changes.ts';
import type { During } from './spans.ts';

/** With what others did in the same time, oldest first. */
type WithOthers<Span> = Span & {
  /** `near`: shortly before or after it. */
  readonly others: readonly OthersSpan[];
};

type OthersSpan = DoneSpan & { readonly near: boolean };

/** How many other tasks are read where that is done often. */
export const LOOK_BACK = 50;

interface Asked {
  readonly task: string;
  /** Where its files are; null where that is not known, and so nobody else's changes are. */
  readonly place: string | null;
  /** Only the newest that were at work then are read: a store may have thousands. Default: all. */
  readonly most?: number | undefined;
}

export async function withOthers<Span extends { readonly during?: During }>(
  storage: Storage,
  { task, place, most }: Asked,
  spans: readonly Span[],
): Promise<WithOthers<Span>[]> {
  const times = spans.flatMap(({ during }) => during ?? []);
  if (times.length === 0 || place === null) return spans.map((span) => ({ ...span, others: [] }));
  const since = Math.min(...times.map((one) => one.since));
  const until = Math.max(...times.map((one) => one.until));
  const all = await othersIn(storage, task, place, { since, until }, most);
  return spans.map((span) => {
    const { during } = span;
    if (!during) return { ...span, others: [] };
    const others = all.filter((one) => overlaps(one.during, during));
    return { ...span, others: others.map((one) => ({ ...one, near: !overlaps(one.during, during, 0) })) };
  });
}

/** What they changed of these files; nothing where their snapshots cannot be read: then it is not known. */
export async function changesByOthers(
  others: readonly OthersSpan[],
  files: ReadonlySet<string>,
  treeOf: (snapshot: string) => Promise<Tree>,
): Promise<(OthersSpan & { readonly changes: TreeChange[] })[]> {
  const found = [];
  for (const one of others) {
    if (one.paths && !one.paths.some((path) => files.has(path))) continue;
    try {
      const changes = ofFiles(diffKnown(await treeOf(one.from), await treeOf(one.to)));
      found.push({ ...one, changes: changes.filter(({ path }) => files.has(path)) });
    } catch (error) {
      if (!(error instanceof VibeError)) throw error;
    }
  }
  return found;
}

/** Oldest first. `during` covers all that is asked about; what was rolled back since happened nevertheless. */
async function othersIn(
  storage: Storage,
  task: string,
  place: string,
  during: During,
  most = Number.POSITIVE_INFINITY,
): Promise<DoneSpan[]> {
  const found: DoneSpan[] = [];
  const lineage = (await loadHead(storage, task))?.lineage ?? [];
  for await (const other of tasksAtWork(storage, during, most)) {
    if (other === task) continue;
    const shared = sharedWith(lineage, other);
    for (const span of await spansDone(storage, other))
      if (span.place === place && span.seq > shared && overlaps(span.during, during)) found.push(span);
  }
  return found.sort((a, b) => a.during.since - b.during.since);
}

function overlaps(a: During, b: During, slack = SLACK_MS): boolean {
  return a.since <= endOf(b, slack) && b.since <= endOf(a, slack);
}

function endOf({ until, by = Number.POSITIVE_INFINITY }: During, slack: number): number {
  return Math.max(until, Math.min(until + slack, by));
}

/** The snapshot is taken after an operation has ended, which takes time. */
const SLACK_MS = 5_000;
/** The state of a running task is written only now and then. */
const STATE_AGE_MS = 60_000;

async function* tasksAtWork(
  storage: Storage,
  { since, until }: During,
  most: number,
): AsyncGenerator<string> {
  let left = most;
  for await (const task of everyTask(storage, { reverse: true })) {
    if (timeOfId(task) > until + SLACK_MS) continue; // Made later, without a look at its state.
    // Damage in another task must not block this one.
    const state = await loadState(storage, task).catch(answering(isDamage, null));
    const isOld = !state || Date.parse(state.updated_at) + STATE_AGE_MS < since;
    if (!isOld && Date.parse(state.created_at) <= until + SLACK_MS) yield task;
    left -= 1;
    if (left === 0) return;
  }
}

/** A fork's own journal begins where it left the other's. */
function sharedWith(lineage: Head['lineage'], other: string): number {
  return lineage.find(({ task }) => task === other)?.to ?? 0;
}
