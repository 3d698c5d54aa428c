/** What a command line can name in a project: tasks, checkpoints, settings. */
import type { Reader } from '../../engine/reading/reader.ts';
import { shortener } from '../../verbs/kit/short.ts';
import type { Candidate } from './candidates.ts';

/** More would be of no use, and slow. */
const MOST = 50;

/** By the ends of their ids, and by their names where these are single words that no other task has. */
export async function taskCandidates(reader: Reader, beginning: string): Promise<Candidate[]> {
  const { all, short } = await idsIn(reader);
  const newest = all.slice(-MOST).toReversed();
  const matching = all.filter((id) => short(id).startsWith(beginning)).slice(-MOST);
  const states = await Promise.all([...new Set([...matching.toReversed(), ...newest])].map(reader.state));
  const known = states.filter((state) => state !== null);
  const counts = new Map<string, number>();
  for (const { task_name } of known) counts.set(task_name, (counts.get(task_name) ?? 0) + 1);
  const ids = known.map(({ task_id, task_name, status }) => ({
    word: short(task_id),
    about: `${task_name} (${status})`,
  }));
  const names = known
    .filter(({ task_name }) => counts.get(task_name) === 1 && /^[\w.][\w.-]*$/.test(task_name))
    .map(({ task_name, status }) => ({ word: task_name, about: status }));
  return [...ids, ...names];
}

/** Those of the newest tasks, or of the one that is named already. */
export async function checkpointCandidates(reader: Reader, beginning: string): Promise<Candidate[]> {
  const { all, short } = await idsIn(reader);
  const of = beginning.replace(/-\d*$/, '');
  const tasks = all.filter((id) => short(id).startsWith(of)).slice(-TASKS);
  const lists = await Promise.all(
    tasks.toReversed().map(async (id) => {
      const numbers = await reader.checkpointNumbers(id);
      const about = (await reader.state(id))?.task_name ?? '';
      return numbers.toReversed().map((number) => ({ word: `${short(id)}-${number}`, about }));
    }),
  );
  return lists.flat();
}

const TASKS = 10;

async function idsIn(reader: Reader): Promise<{ all: string[]; short: (id: string) => string }> {
  const all = await reader.ids();
  return { all, short: shortener(all) };
}
