/** What must hold of the files and of what each task was told, however often its processes were killed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackValue } from '../../src/checkpoint/values/pack.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { parseEntry } from '../../src/engine/task/entries.ts';
import { type Call, ownFile, regrets, type TaskReport, taskOf, taskOfMark } from './agent.ts';
import { PAGES, type Spot, slotsIn } from './pages.ts';
import type { Edit } from './people.ts';

export interface Judged {
  readonly problems: readonly string[];
  /** How often it came to what. */
  readonly outcomes: ReadonlyMap<string, number>;
}

export interface Done {
  /** How many tasks of each agent are done. */
  readonly tasks: Readonly<Record<string, number>>;
  readonly edits: readonly Edit[];
}

/** `may`: it can be there once, or not at all. */
interface Expected extends Spot {
  readonly there: 'once' | 'never' | 'may';
  readonly why: string;
}

export async function judge(
  root: string,
  engine: Engine,
  seed: number,
  { tasks, edits }: Done,
): Promise<Judged> {
  const problems: string[] = [];
  const outcomes = new Map<string, number>();
  const tally = (what: string): void => void outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
  const expected = new Map<string, Expected>();
  const names = new Set<string>([...PAGES, '.vibe-engine', 'own']);
  const own = new Set<string>();
  const conflicts = conflictCopies(root);

  for (const { mark, path, slot, saved } of edits)
    expected.set(mark, { path, slot, there: saved ? 'once' : 'never', why: `saved: ${saved}` });

  for (const [agent, count] of Object.entries(tasks)) {
    for (let number = 1; number <= count; number++) {
      const task = taskOf(agent, number);
      if (regrets(seed, task)) {
        tally('tasks taken back');
        continue;
      }
      const ends = await endsOf(engine, task);
      const { calls, kept } = await engine.output<TaskReport>(task);
      if (kept) own.add(ownFile(task));
      for (const call of calls) {
        tally(`calls: ${call.outcome}`);
        expected.set(call.mark, expectedOf(call, ends.get(call.id), problems));
        if (call.outcome === 'FILE_CONFLICT' && !conflicts.some((text) => mentions(text, call.mark)))
          problems.push(
            `the conflict of ${call.mark} in ${call.path} was reported, and there is no copy of it`,
          );
      }
    }
  }
  const found = marksIn(root);
  const regretted = [...found.keys()].filter((mark) => regrets(seed, taskOfMark(mark)));
  for (const mark of regretted)
    expected.set(mark, { ...found.get(mark)![0]!, there: 'may', why: 'regretted' });
  for (const _ of regretted) tally("their edits that stay among others'");
  problems.push(...judgeMarks(found, expected), ...judgeNames(root, names, own));
  return { problems, outcomes };
}

/** How a step ended, by its journal. */
interface End {
  begun: number;
  outcome?: string;
}

async function endsOf({ storage }: Engine, task: string): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  for await (const { seq, data } of storage.read(task)) {
    const entry = parseEntry(data, seq);
    if (entry.t !== 'begin' && entry.t !== 'step' && entry.t !== 'failure') continue;
    const end = ends.get(entry.id) ?? { begun: 0 };
    ends.set(entry.id, end);
    if (entry.t === 'begin') end.begun += 1;
    else if (entry.t === 'failure') end.outcome = entry.error.code ?? entry.error.message;
    else {
      const result = await unpackValue(entry.result, (id) => storage.getBlob(task, id));
      end.outcome = (result as { status: string }).status;
    }
  }
  return ends;
}

/** Acknowledged is what the journal has the end of. One that was cut off may have been made although it failed later. */
function expectedOf(
  { mark, path, slot, id, outcome }: Call,
  end: End | undefined,
  problems: string[],
): Expected {
  if (end?.outcome !== outcome)
    problems.push(`the journal has ${end?.outcome} for ${id} (${mark}), and the task was told ${outcome}`);
  const failed = outcome === outcome.toUpperCase();
  const there = !failed ? 'once' : (end?.begun ?? 0) > 1 ? 'may' : 'never';
  return { path, slot, there, why: `${outcome}, begun ${end?.begun} times` };
}

function marksIn(root: string): Map<string, Spot[]> {
  const found = new Map<string, Spot[]>();
  for (const path of PAGES) {
    for (const [slot, marks] of slotsIn(path, readFileSync(join(root, path), 'utf8')).entries())
      for (const mark of marks) found.set(mark, [...(found.get(mark) ?? []), { path, slot }]);
  }
  return found;
}

function judgeMarks(
  found: ReadonlyMap<string, readonly Spot[]>,
  expected: ReadonlyMap<string, Expected>,
): string[] {
  const problems: string[] = [];
  for (const mark of found.keys())
    if (!expected.has(mark)) problems.push(`nobody wrote ${mark}, and it is there`);
  for (const [mark, { path, slot, there, why }] of expected) {
    const spots = found.get(mark) ?? [];
    if (there === 'once' && spots.length === 0) problems.push(`lost: ${mark} is not in ${path} (${why})`);
    if (there === 'never' && spots.length > 0)
      problems.push(`${mark} is in ${path} although it failed (${why})`);
    if (spots.length > 1) problems.push(`${mark} is there ${spots.length} times (${why})`);
    for (const spot of spots)
      if (spot.path !== path || spot.slot !== slot)
        problems.push(`${mark} of ${path}, slot ${slot}, is in ${spot.path}, slot ${spot.slot}`);
  }
  return problems;
}

/** Nothing else is left behind, and what a task made for itself is there exactly as long as it wanted. */
function judgeNames(root: string, names: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  const made = readdirSync(join(root, 'own')).map((name) => `own/${name}`);
  const strange = [
    ...readdirSync(root).filter((name) => !names.has(name)),
    ...made.filter((name) => !own.has(name)),
  ];
  const missing = [...own].filter((path) => !made.includes(path));
  const wrong = made.filter((path) => own.has(path) && readFileSync(join(root, path), 'utf8') !== path);
  return [
    ...strange.map((path) => `left behind: ${path}`),
    ...missing.map((path) => `lost: the file ${path}`),
    ...wrong.map((path) => `torn: the file ${path}`),
  ];
}

function conflictCopies(root: string): string[] {
  const dir = join(root, '.vibe-engine', 'conflicts');
  try {
    const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  } catch {
    return [];
  }
}

function mentions(text: string, mark: string): boolean {
  return text.includes('<<<<<<<') && new RegExp(` ${mark.replaceAll('.', '\\.')}( |$)`, 'm').test(text);
}
