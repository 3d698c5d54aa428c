/** What people are told when a task resumes. Pure. */
import { phrase } from '../phrase.ts';
import type { EventOf } from './api/events.ts';

export function recoveryNotice(event: EventOf<'recovery'>): string[] {
  const { task_name, iteration, instructions, notes } = event;
  return [
    phrase`🔄 Resuming task: ${task_name}`,
    phrase`📍 Continuing from iteration ${iteration}`,
    lastProgress(event),
    ...(instructions === null ? [] : [`📌 ${instructions}`]),
    ...notes,
  ];
}

function lastProgress({ progress: { percent, note }, last_step }: EventOf<'recovery'>): string {
  const done = Math.floor(percent);
  if (note !== null) return phrase`📝 Last progress: ${note} (${done} %)`;
  if (!last_step) return phrase`📝 Last progress: nothing done yet (${done} %)`;
  const { name, failed } = last_step;
  return phrase`📝 Last progress: step "${name}" ${failed ? 'failed' : 'done'} (${done} %)`;
}
