/**
 * Readable copies, kept next to the journal: the history of an execution when its run ends, the conversation while it runs.
 * They are made from the journal, afterwards and off the task's path; a task does not fail if one cannot be written.
 */

import { createTrimmer } from '../../checkpoint/context/trim.ts';
import type { ConversationPersistence } from '../../persistence/conversations.ts';
import { PersistenceManager } from '../../persistence/manager.ts';
import { phrase } from '../../phrase.ts';
import type { Clock } from '../../system/clock.ts';
import type { TaskStatus } from '../../task/status.ts';
import type { Services } from '../api/services.ts';
import { messageOf } from '../api/thrown.ts';
import { LONGEST_TIMER } from '../api/timers.ts';
import { createHistoryReader, finishHistory } from '../history/history.ts';
import { markReader } from '../history/marks.ts';
import { type ContextOptions, contextItems } from '../task/conversation.ts';
import { loadCleaned } from '../task/records/cleaned.ts';
import { type Head, loadHead } from '../task/records/head.ts';

interface ReadableCopies {
  /** Brings all of them up to date. */
  flush(): Promise<void>;
}

/** This soon after a task stopped, so that several that stop together are written together. */
const SOON_MS = 50;
/** Less often than configured if it takes long: at most one part in `SHARE` of the time is spent on it. */
const SHARE = 100;
/** The same at waits, which may come one after the other. */
const PART = 10;

const AT_REST: ReadonlySet<TaskStatus> = new Set(['paused', 'completed', 'failed', 'cancelled']);

/** `auto_save_ms`: how often the conversation of a running task is saved at most; null: conversations are not saved. */
export function createReadableCopies(services: Services, auto_save_ms: number | null): ReadableCopies {
  const due = new Map<string, Due>();
  const write = createViewWriter(services, auto_save_ms);
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  /** How long the last copy of each running task took. */
  const took = new Map<string, number>();
  /** How much context each running task had when its last copy was decided on. */
  const copied = new Map<string, number>();

  const note = (task: string, ms: number, history: boolean): void => {
    const at = performance.now() + ms;
    const before = due.get(task);
    if (!before || at < before.at) {
      due.set(task, { at, history: history || before?.history === true });
      arm();
    } else if (history) due.set(task, { at: before.at, history });
  };

  const arm = (): void => {
    clearTimeout(timer);
    const first = Math.min(...[...due.values()].map(({ at }) => at));
    if (first === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(Math.max(0, first - performance.now()), LONGEST_TIMER);
    timer = setTimeout(() => void work(performance.now()), ms);
    if (ms > SOON_MS) timer.unref(); // A copy keeps no process alive.
  };

  const work = (until: number): Promise<void> => {
    working = working.then(async () => {
      for (const [task, { at, history }] of due) {
        if (at > until) continue;
        due.delete(task);
        const began = performance.now();
        await write(task, history).catch((error: unknown) => {
          if ((error as { code?: unknown }).code === 'STORE_GONE') return; // The next write reports it.
          services.notify([
            phrase`The readable copies of task ${task} could not be written: ${messageOf(error)}`,
          ]);
        });
        if (history) copied.delete(task);
        if (history) took.delete(task);
        else took.set(task, performance.now() - began);
      }
      arm();
    });
    return working;
  };

  services.on('task.status', ({ task, to }) => {
    if (AT_REST.has(to)) note(task, SOON_MS, true);
    else if (to === 'waiting' && auto_save_ms !== null)
      note(task, Math.max(SOON_MS, roundOf(took, due.keys(), task) * PART), false);
  });
  services.on('rollback', ({ task }) => note(task, SOON_MS, true));
  services.on('redo', ({ task }) => note(task, SOON_MS, true));
  services.on('take', ({ task }) => note(task, SOON_MS, true));
  if (auto_save_ms !== null) {
    services.on('checkpoint', ({ task, context_bytes }) => {
      // A task of steps alone has no conversation, and its journal need not be read for one.
      if (due.has(task) || context_bytes === (copied.get(task) ?? 0)) return;
      copied.set(task, context_bytes);
      note(task, Math.max(auto_save_ms, roundOf(took, due.keys(), task) * SHARE), false);
    });
  }
  return {
    async flush() {
      while (due.size > 0) await work(Number.POSITIVE_INFINITY);
      await working;
    },
  };
}

/** What a copy of the task and of all that are due takes: many tasks together get no larger part of the time than one. */
export function roundOf(took: ReadonlyMap<string, number>, due: Iterable<string>, task: string): number {
  let ms = 0;
  for (const one of new Set([...due, task])) ms += took.get(one) ?? 0;
  return ms;
}

interface Due {
  readonly at: number;
  readonly history: boolean;
}

/** Reads the journal once for both. The summariser is the one that costs nothing. */
function createViewWriter({ storage, config, clock }: Services, auto_save_ms: number | null) {
  const auto_save = auto_save_ms !== null;
  const persistence = new PersistenceManager(storage);
  const saveConversation = createConversationSaver(persistence.conversations, clock);
  return async (task: string, history: boolean): Promise<void> => {
    const head = await loadHead(storage, task);
    if (!head) return;
    const reader = createHistoryReader();
    const { take, marks } = markReader(head);
    const seen: ContextOptions['seen'] = (one) => {
      reader.add(one.entry);
      take(one);
      return undefined;
    };
    const trimmer = createTrimmer(config.checkpoints);
    for await (const item of contextItems(storage, head, history ? { seen } : {})) {
      if (auto_save) trimmer.add(item);
    }
    // Checked after reading: the journal is complete until clean-up has emptied the task and saved its history.
    if ((await loadCleaned(storage, task)).emptied_at !== null) return;
    if (history) await persistence.saveHistory(task, await finishHistory(storage, head, { reader, marks }));
    if (auto_save) await saveConversation(head, await trimmer.finish());
  };
}

function createConversationSaver(conversations: ConversationPersistence, clock: Clock) {
  return async (head: Head, context: object): Promise<void> => {
    const { task_id, task_name } = head;
    conversations.autoSave(task_id, { task_id, task_name, saved_at: clock.now().toISOString(), ...context });
    await conversations.flush();
  };
}
