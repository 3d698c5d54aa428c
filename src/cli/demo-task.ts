/**
 * The task of the demo: each step hashes the result of the one before, and is journalled before the next begins. So
 * the last result shows that no step was lost, repeated or changed on the way.
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim, Position, Storage } from '../storage/contract.ts';

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

/** What the journal holds, with its position. */
export async function recordedSteps(storage: Storage, task: string): Promise<StepEntry[]> {
  const steps: StepEntry[] = [];
  for await (const { data } of storage.read(task)) steps.push(data as StepEntry);
  return steps;
}

/** Goes on after the recorded steps to the end; yields each step once the store has acknowledged it. */
export async function* runSteps(storage: Storage, claim: Claim): AsyncGenerator<StepEntry> {
  const { task, fence } = claim;
  let last = (await recordedSteps(storage, task)).at(-1) ?? { step: 0, result: '' };
  let position: Position = await storage.position(task);
  while (last.step < STEPS) {
    const step = last.step + 1;
    await sleep(WORK_MS);
    const entry: StepEntry = { step, result: resultOf(step, last.result) };
    const receipt = await storage.commit({
      task,
      fence,
      append: { after: position, entries: [entry] },
      records: [{ category: 'tasks', key: `${task}/progress`, data: { ...entry, steps: STEPS } }],
    });
    position = receipt.position!;
    last = entry;
    yield entry;
  }
}
