/** What must hold of a session, whatever was killed on the way. Answers what does not, a sentence each. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackValue } from '../../../src/checkpoint/values/pack.ts';
import { examineStore } from '../../../src/engine/doctor/doctor.ts';
import { type Engine, openEngine } from '../../../src/engine/engine.ts';
import { type Entry, parseEntry } from '../../../src/engine/task/entries.ts';
import { createJoiner } from '../../../src/engine/task/joined.ts';
import type { Storage } from '../../../src/storage/contract.ts';
import type { SessionLife, Told } from './life.ts';
import { BEFORE, CALLS, endText, MINE, promptText } from './script.ts';

export async function judgeSession(storage: Storage, dir: string, life: SessionLife): Promise<string[]> {
  const problems = life.problems.map((problem) => `a hook was not recorded: ${problem}`);
  const engine = await openEngine({
    project_dir: dir,
    storage,
    workspace: true,
    signals: false,
    automatic_cleanup: false,
  });
  try {
    const tasks = await engine.tasks();
    if (tasks.length !== 1) return [...problems, `${tasks.length} tasks of one session`];
    const [task] = tasks;
    problems.push(...(await doctorSays(storage, dir, task!.task_id)));
    const said = await conversation(storage, task!.task_id);
    for (const told of life.told) problems.push(...judgeHook(told, said));
    problems.push(...judgeOpen(said), ...judgeTelling(life, said));
    if (task!.status !== 'in_progress' || !task!.data.idle_since)
      problems.push(`after its end the session is ${task!.status}, and not idle`);
    problems.push(...(await judgeFiles(engine, dir, task!.task_id, life)));
    problems.push(...(await doctorSays(storage, dir, task!.task_id)));
  } finally {
    await engine.close();
  }
  return problems;
}

async function doctorSays(storage: Storage, project_dir: string, task: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { code, message, task: of } of examineStore({ storage, project_dir } as never)) {
    if ((of === null || of === task) && code !== 'VIEW_DAMAGED') found.push(`doctor: ${code} ${message}`);
  }
  return found;
}

interface Said {
  readonly entries: readonly Entry[];
  readonly outputs: ReadonlyMap<Entry, unknown>;
}

async function conversation(storage: Storage, task: string): Promise<Said> {
  const entries: Entry[] = [];
  const outputs = new Map<Entry, unknown>();
  const join = createJoiner();
  for await (const { seq, data } of storage.read(task)) {
    const entry = join(parseEntry(data, seq));
    entries.push(entry);
    const value = entry.t === 'step' ? entry.result : entry.t === 'message' ? entry.content : undefined;
    outputs.set(entry, await unpackValue(value, (id) => storage.getBlob(task, id)));
  }
  return { entries, outputs };
}

const callOf = (entry: Entry): string | undefined =>
  'tool' in entry && typeof entry.tool === 'object' ? entry.tool.call : undefined;

function judgeHook({ act, answered, answer }: Told, said: Said): string[] {
  const [event, about] = act.name.split(' ') as [string, string];
  const problems: string[] = [];
  const exactly = (what: string, found: number): void => {
    if (answered ? found !== 1 : found > 1)
      problems.push(`${act.name} was ${answered ? 'answered' : 'cut off'}: ${what} is there ${found} times`);
  };
  const spoken = (text: string): number =>
    said.entries.filter((entry) => entry.t === 'message' && said.outputs.get(entry) === text).length;
  const { entries, outputs } = said;
  switch (event) {
    case 'UserPromptSubmit':
      exactly('the prompt', spoken(promptText(Number(about.slice(1)))));
      exactly('its checkpoint', entries.filter(({ mark }) => mark?.metadata?.ref === about).length);
      break;
    case 'PreToolUse': {
      if (JSON.stringify(answer).includes('deny')) problems.push(`${act.name} was refused`);
      const reads = act.payload.tool_name === 'Read';
      const begun = entries.filter((entry) => entry.t === 'begin' && callOf(entry) === about);
      if (!reads) exactly('its begin', begun.length);
      break;
    }
    case 'PostToolUse':
    case 'PostToolUseFailure': {
      const { tool, output } = CALLS.find(({ id }) => id === about)!;
      const ends = entries.filter((entry) => entry.t === 'step' && callOf(entry) === about);
      exactly('its end', ends.length);
      for (const end of ends) {
        if (outputs.get(end) !== output) problems.push(`the result of ${about} is not what was told`);
        if ((end as { name: string }).name !== `tool:${tool}`)
          problems.push(`${about} ended as ${(end as { name: string }).name}`);
      }
      break;
    }
    case 'PostToolBatch': {
      const skipped = entries.some((entry) => entry.t === 'skip' && entry.id.includes(`@${about}#`));
      const begun = entries.some((entry) => entry.t === 'begin' && callOf(entry) === about);
      if (answered && begun && !skipped) problems.push(`${about} was refused, and that is not recorded`);
      break;
    }
    case 'Stop':
      exactly('the last message', spoken(endText(Number(about))));
  }
  return problems;
}

/** Every call has an end, of whatever kind. */
function judgeOpen({ entries }: Said): string[] {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.t === 'begin') open.add(entry.id);
    if (entry.t === 'step' || entry.t === 'failure' || entry.t === 'skip') open.delete(entry.id);
  }
  return [...open].map((id) => `${id} was left open`);
}

/** A call whose end nobody knows is told to the model at the next prompt. */
function judgeTelling({ told }: SessionLife, { entries }: Said): string[] {
  return CALLS.filter(({ id }) => {
    const of = entries.filter((entry) => 'id' in entry && entry.id.includes(`@${id}#`));
    const at = told.findIndex(({ act }) => act.name === `PreToolUse ${id}`);
    const prompts = told.slice(at + 1).filter(({ act }) => act.name.startsWith('UserPromptSubmit'));
    const ended = of.some(({ t }) => t === 'step' || t === 'skip');
    if (of.length === 0 || ended || prompts.length === 0) return false;
    return !prompts.some(({ answer }) => JSON.stringify(answer ?? '').includes('was cut off'));
  }).map(({ id }) => `${id} was cut off, and the model was not told`);
}

/** Whose a change is that was made around a cut-off call is asked, and answered as it was. */
const BACK = {
  on_modified: 'use_checkpoint',
  on_deleted: 'restore',
  files: { [MINE[0]]: 'use_current' },
} as const;
const FORWARD = { on_modified: 'use_checkpoint', on_deleted: 'skip' } as const;

/** Which calls change a file. */
const CHANGERS: Readonly<Record<string, readonly string[]>> = {
  'a.txt': ['c1', 'c6'],
  'b.txt': ['c3'],
  'base.txt': ['c3'],
  'gone.txt': ['c3'],
  'd.txt': ['c4'],
};

/** Back to the first prompt and forward again: what calls did that were answered goes, a person's file stays. */
async function judgeFiles(
  engine: Engine,
  dir: string,
  task: string,
  { told }: SessionLife,
): Promise<string[]> {
  const listed = await engine.checkpoints.listCheckpoints(task);
  const first = listed.find(({ metadata }) => metadata?.ref === 'p1');
  if (!first) return [];
  const read = (path: string): string | null =>
    existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : null;
  const now = (): Map<string, string | null> =>
    new Map([...Object.keys(CHANGERS), MINE[0]].map((path) => [path, read(path)]));
  const before = now();
  await engine.rollback(first.id, BACK);
  const back = now();
  await engine.redo(task, FORWARD);
  const problems: string[] = [];
  if (back.get(MINE[0]) !== before.get(MINE[0])) problems.push(`a rollback changed a person's file`);
  for (const [path, calls] of Object.entries(CHANGERS)) {
    const unrecorded = told.some(
      ({ act, answered, worked }) =>
        worked && !answered && calls.some((id) => act.name === `PreToolUse ${id}`),
    );
    const wanted = BEFORE[path] ?? null;
    if (!unrecorded && back.get(path) !== wanted)
      problems.push(`${path} is ${JSON.stringify(back.get(path))} after a rollback`);
  }
  const again = now();
  for (const [path, content] of before)
    if (again.get(path) !== content) problems.push(`${path} is not as it was after a redo`);
  return problems;
}
