/** What must hold of a task that is done, however often it was killed. Answers what does not, a sentence each. */
import { isDeepStrictEqual } from 'node:util';
import { unpackValue } from '../../src/checkpoint/values/pack.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { readContext } from '../../src/engine/task/conversation.ts';
import { type Entry, parseEntry } from '../../src/engine/task/entries.ts';
import { loadHead } from '../../src/engine/task/records/head.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { judgeCheckpoints } from './judge-checkpoints.ts';
import { judgeContext } from './judge-context.ts';
import { judgeHistory } from './judge-history.ts';
import { judgeJournal } from './judge-journal.ts';
import { judgeSteps } from './judge-steps.ts';
import type { Life } from './life.ts';
import { type Made, OUTPUT } from './task.ts';

/** One entry of the journal, with what it says of who made it. */
export interface Kept {
  readonly seq: number;
  readonly hash: string;
  readonly entry: Entry;
  /** The run whose result or error it is; null where it does not say. */
  readonly run: number | null;
}

export async function judge(storage: Storage, life: Life, project_dir: string): Promise<string[]> {
  const { task } = life;
  const problems: string[] = [];
  for await (const { code, message, task: of } of storage.verify()) {
    // Views are not synced and are made again from the journal.
    if ((of === null || of === task) && code !== 'VIEW_DAMAGED') problems.push(`verify: ${code} ${message}`);
  }
  const journal = await readJournal(storage, task);
  const engine = await openEngine({ project_dir, storage, signals: false, automatic_cleanup: false });
  const state = await engine.state(task);
  const history = await engine.history(task);
  const { config } = engine;
  await engine.close();
  if (state?.status !== 'completed') return [...problems, `the task is ${state?.status}, not completed`];
  const output = await unpackValue(state.data.final_output, (id) => storage.getBlob(task, id));
  if (!isDeepStrictEqual(output, OUTPUT)) problems.push(`the output is ${JSON.stringify(output)}`);

  const head = (await loadHead(storage, task))!;
  const context = await readContext({ storage, config }, head, { all: true });
  problems.push(
    ...judgeJournal(journal, life.lines),
    ...judgeSteps(journal, life.lines),
    ...judgeContext(context, journal, life.lines),
    ...judgeHistory(history, journal),
    ...(await judgeCheckpoints(storage, history, journal)),
    ...(await judgeLeftovers(storage, life, history)),
  );
  return problems;
}

async function readJournal(storage: Storage, task: string): Promise<Kept[]> {
  const kept: Kept[] = [];
  for await (const { seq, hash, data } of storage.read(task)) {
    const entry = parseEntry(data, seq);
    let run: number | null = null;
    if (entry.t === 'step')
      run = ((await unpackValue(entry.result, (id) => storage.getBlob(task, id))) as Made).run;
    if (entry.t === 'failure') run = Number(/run (\d+)$/.exec(entry.error.message)?.[1] ?? Number.NaN);
    kept.push({ seq, hash, entry, run });
  }
  return kept;
}

/** A run that saw the task through and ended by itself leaves no message behind and the history for readers. */
async function judgeLeftovers(storage: Storage, { task, lines }: Life, history: unknown): Promise<string[]> {
  const found = lines.findLast(({ what }) => what === 'found');
  if (found?.what !== 'found' || found.status === 'completed') return [];
  const { keys } = await storage.page('inbox', { prefix: `${task}/` });
  const saved = await storage.load('history', task);
  return [
    ...(keys.length === 0 ? [] : [`${keys.length} messages are left in the inbox of a task that is done`]),
    ...(isDeepStrictEqual(saved, history) ? [] : ['the saved history is not what the journal tells']),
  ];
}
