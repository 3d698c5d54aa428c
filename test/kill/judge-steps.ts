/** Steps: what is recorded was done once, what was in progress at a kill was done at most once more for it. */
import type { Kept } from './judge.ts';
import { STEPS } from './task.ts';
import type { Line } from './witness.ts';

type Begin = Extract<Line, { what: 'begin' }>;

export function* judgeSteps(journal: readonly Kept[], lines: readonly Line[]): Generator<string> {
  for (const { id, after, attempts, dangerous } of STEPS) {
    yield* judgeOrder(journal, lines, id, after);
    for (let attempt = 1; attempt <= attempts; attempt++) yield* judgeAttempt(journal, lines, id, attempt);
    if (dangerous) yield* judgeDanger(journal, lines, id);
  }
  const expected = new Set(STEPS.flatMap(({ id, attempts }) => range(attempts).map((n) => `${id} ${n}`)));
  for (const line of lines) {
    if (line.what === 'begin' && !expected.has(`${line.id} ${line.attempt}`))
      yield `attempt ${line.attempt} of ${line.id} was made in run ${line.run}`;
  }
}

/** An attempt begins at most once in each run, and never again once it is recorded. */
function* judgeAttempt(
  journal: readonly Kept[],
  lines: readonly Line[],
  id: string,
  attempt: number,
): Generator<string> {
  const name = `attempt ${attempt} of ${id}`;
  const recorded = journal.filter(
    ({ entry }) =>
      (entry.t === 'step' || entry.t === 'failure') && entry.id === id && entry.attempt === attempt,
  );
  const begun = beginsOf(lines, id, attempt).map(({ run }) => run);
  if (new Set(begun).size < begun.length) yield `${name} was made twice in one run: ${begun}`;
  if (recorded.length !== 1) {
    yield `${name} is recorded ${recorded.length} times`;
    return;
  }
  const { run } = recorded[0]!;
  if (begun.at(-1) !== run) yield `${name} was recorded by run ${run}, yet made in the runs ${begun}`;
  const ended = lines.some(
    (line) => line.what === 'end' && line.id === id && line.attempt === attempt && line.run === run,
  );
  if (!ended) yield `${name} was recorded by run ${run}, which did not end it`;
}

/** The task goes on from a step, an agent, an answer only when it is recorded. */
function* judgeOrder(
  journal: readonly Kept[],
  lines: readonly Line[],
  id: string,
  after: readonly string[],
): Generator<string> {
  for (const begin of beginsOf(lines, id, 1)) {
    const durable = new Set(
      durableBefore(journal, lines, begin).map((entry) => entry.t !== 'wait' && entry.id),
    );
    const missing = after.filter((one) => !durable.has(one));
    if (missing.length > 0) yield `${id} began in run ${begin.run} before ${missing} was recorded`;
  }
}

/** A dangerous operation runs only once its beginning is recorded, and is told when it had begun before. */
function* judgeDanger(journal: readonly Kept[], lines: readonly Line[], id: string): Generator<string> {
  const recorded = journal.flatMap(({ entry }) => (entry.t === 'begin' && entry.id === id ? [entry.at] : []));
  for (const line of beginsOf(lines, id, 1)) {
    const own = ownBegin(lines, line);
    const index = own === undefined ? -1 : recorded.indexOf(own);
    if (index < 0) yield `${id} ran in run ${line.run} before its beginning was recorded`;
    else if (line.unknown !== (recorded[index - 1] ?? null))
      yield `${id} in run ${line.run} was told that it was under way since ${line.unknown}; it was since ${recorded[index - 1] ?? null}`;
  }
}

/** The time in the entry that this run had acknowledged before the function began. */
function ownBegin(lines: readonly Line[], begin: Begin): string | undefined {
  const own = lines.filter(({ run }) => run === begin.run);
  return durableBefore([], own, begin).findLast(({ t, id }) => t === 'begin' && id === begin.id)?.at;
}

interface Named {
  readonly t: string;
  readonly id?: string;
  readonly at: string;
}

/** What was acknowledged by then, or was in the journal when this run took over. */
function durableBefore(journal: readonly Kept[], lines: readonly Line[], begin: Begin): Named[] {
  const before = lines.slice(0, lines.indexOf(begin));
  const acked = new Set(before.flatMap((line) => (line.what === 'acked' ? [`${line.run}/${line.n}`] : [])));
  const isKept = ({ t, at, id }: Named): boolean =>
    journal.some(({ entry }) => entry.t === t && entry.at === at && (entry as Named).id === id);
  return before.flatMap((line) => {
    if (line.what !== 'commit') return [];
    const entries = line.entries as readonly Named[];
    if (acked.has(`${line.run}/${line.n}`)) return entries;
    return line.run < begin.run ? entries.filter(isKept) : [];
  });
}

export function beginsOf(lines: readonly Line[], id: string, attempt: number): Begin[] {
  return lines.filter(
    (line): line is Begin => line.what === 'begin' && line.id === id && line.attempt === attempt,
  );
}

function range(to: number): number[] {
  return Array.from({ length: to }, (_, i) => i + 1);
}
