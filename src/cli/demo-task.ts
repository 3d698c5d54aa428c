/**
 * The task of the demo: each step hashes the result of the one before, and is journalled before the next begins. So
 * the last result shows that no step was lost, repeated or changed on the way.
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Storage } from '../storage/contract.ts';
import { loadState, stateRecord } from '../storage/state-records.ts';
import type { TaskState } from '../task/state.ts';
import { type NewTask, queueTask, transition, updateData } from '../task/transition.ts';

export const STEPS = 12;
const WORK_MS = 60;

export interface StepEntry {
  readonly step: number;
  readonly result: string;
}

export function resultOf(step: number, before: string): string {
  return hash('sha256', `${before}:${step}`).slice(0, 12);
}

/** The result of all steps, worked out without a store. */
export function expectedResult(): string {
  return Array.from({ length: STEPS }, (_, i) => i + 1).reduce((before, step) => resultOf(step, before), '');
}

/** What the journal holds. */
export async function recordedSteps(storage: Storage, task: string): Promise<StepEntry[]> {
  const steps: StepEntry[] = [];
  for await (const { data } of storage.read(task)) steps.push(data as StepEntry);
  return steps;
}

/** Goes on after the recorded steps to the end; yields each step once the store has acknowledged it. */
export async function* runSteps(storage: Storage, { task, fence }: Claim): AsyncGenerator<StepEntry> {
  let last = (await recordedSteps(storage, task)).at(-1) ?? { step: 0, result: '' };
  let position = await storage.position(task);
  let state = begun((await loadState(storage, task)) ?? queueTask(newTask(task), new Date()));
  while (last.step < STEPS) {
    const step = last.step + 1;
    await sleep(WORK_MS);
    const entry: StepEntry = { step, result: resultOf(step, last.result) };
    state = stepped(state, entry);
    const receipt = await storage.commit({
      task,
      fence,
      append: { after: position, entries: [entry] },
      records: [stateRecord(step < STEPS ? state : completed(state, entry))],
    });
    position = receipt.position!;
    last = entry;
    yield entry;
  }
}

function newTask(task_id: string): NewTask {
  return { task_id, task_name: 'demo', input_request: { steps: STEPS } };
}

/** A task whose process died is still in progress on disk, and goes on as it is. */
function begun(state: TaskState): TaskState<'in_progress'> {
  if (state.status === 'in_progress') return state;
  const now = new Date();
  const data = {
    current_agent: null,
    current_step: null,
    iteration_count: 0,
    started_at: now.toISOString(),
    last_activity_at: now.toISOString(),
    accumulated_context: null,
  };
  return transition(state, 'in_progress', data, now);
}

function stepped(state: TaskState<'in_progress'>, { step, result }: StepEntry): TaskState<'in_progress'> {
  const now = new Date();
  return updateData(
    state,
    {
      current_step: `step ${step}`,
      iteration_count: step,
      last_activity_at: now.toISOString(),
      accumulated_context: { result },
    },
    now,
  );
}

function completed(state: TaskState<'in_progress'>, { result }: StepEntry): TaskState<'completed'> {
  const now = new Date();
  const data = {
    completed_at: now.toISOString(),
    final_output: { result },
    files_modified: [],
    verification_results: null,
  };
  return transition(state, 'completed', data, now);
}
