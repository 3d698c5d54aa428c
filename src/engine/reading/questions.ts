/** What people are asked: by the processes that run or resume tasks, and by the tasks themselves. */
import { VibeError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { everyKey, everyTask } from '../../storage/walk.ts';
import type { WaitingData } from '../../task/data.ts';
import { openWaits } from '../lifecycle/waits.ts';
import { askedNow } from '../questions/asked.ts';
import { taskIn } from '../task/records/kind.ts';
import { QUESTION, type QuestionRecord } from '../task/records/questions.ts';
import { readableState } from '../task/tasks.ts';
import type { RowIndex } from './rows.ts';

export interface OpenQuestion {
  readonly id: string;
  readonly task: string;
  readonly name: string;
  readonly kind: QuestionRecord['kind'];
  /** What a wait waits for. */
  readonly waits_for: WaitingData['waiting_for'] | null;
  readonly text: string;
  readonly path: string | null;
  /** Any text will do where there are none. */
  readonly options: readonly string[];
  readonly recommended: string | null;
  readonly going_back: boolean;
  readonly asked_at: string;
  readonly timeout_at: string | null;
  /** The process that asks. */
  readonly by: string | null;
  readonly pid: number | null;
  /** It can be resolved hunk by hunk. */
  readonly conflict: boolean;
}

interface Source {
  readonly storage: Storage;
  readonly now: () => Date;
}

/** Oldest first; of one task, or of all. With an index, no task is read to find those that wait. */
export async function openQuestions(
  source: Source,
  task?: string,
  index: RowIndex | null = null,
): Promise<OpenQuestion[]> {
  const tasks = task === undefined ? await tasksThatAsk(source.storage, index) : new Set([task]);
  const open: OpenQuestion[] = [];
  for (const id of tasks) open.push(...(await questionsOfTask(source, id)));
  return open.sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1));
}

async function tasksThatAsk(storage: Storage, index: RowIndex | null): Promise<Set<string>> {
  const tasks = new Set<string>();
  for await (const key of everyKey(storage, QUESTION.category)) {
    const task = taskIn(QUESTION, key);
    if (task !== null) tasks.add(task);
  }
  if (index) {
    for (const { state } of index.facts()) if (state.status === 'waiting') tasks.add(state.task_id);
    return tasks;
  }
  for await (const id of everyTask(storage))
    if ((await readableState(storage, id))?.status === 'waiting') tasks.add(id);
  return tasks;
}

async function questionsOfTask({ storage, now }: Source, task: string): Promise<OpenQuestion[]> {
  const name = (await readableState(storage, task))?.task_name;
  if (name === undefined) return [];
  const asked = (await askedNow(storage, task)).map((record) => ({ task, name, ...shown(record) }));
  const waits = await openWaits({ storage, clock: { now } }, task).catch(unlessDamaged);
  const open = waits.filter(({ answered, timed_out }) => !answered && !timed_out);
  return [
    ...asked,
    ...open.map(({ id, kind, prompt, asked_at, timeout_at }) => ({
      ...NO_CHOICE,
      id,
      task,
      name,
      asked_at,
      timeout_at,
      text: prompt ?? kind,
      waits_for: kind,
      kind: 'wait' as const,
      options: kind === 'human_approval' ? ['yes', 'no'] : [],
    })),
  ];
}

/** A wait asks for a value, and is about no file. */
const NO_CHOICE = { path: null, recommended: null, going_back: false, by: null, pid: null, conflict: false };

/** A list does not report damage. */
function unlessDamaged(error: unknown): [] {
  if (error instanceof VibeError) return [];
  throw error;
}

function shown({ id, kind, message, versions, asker, ...record }: QuestionRecord) {
  const { path, options, recommended, going_back, asked_at } = record;
  return {
    id,
    kind,
    text: message,
    path,
    options,
    recommended,
    going_back,
    asked_at,
    waits_for: null,
    timeout_at: null,
    by: asker?.name ?? null,
    pid: asker?.pid ?? null,
    conflict: versions !== null,
  };
}
