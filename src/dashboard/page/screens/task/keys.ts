/** The keys of a task's screen. */
import { toast } from '../../kit/toast.tsx';
import type { Route } from '../../lib/route.ts';
import { type Bindings, useKeys } from '../../state/bindings.ts';
import { go } from '../../state/route.ts';
import { indexOfRow, rowAt, rowCount } from '../../state/task.ts';
import { zoomKeys } from '../../state/zoom.ts';
import { chooseCheckpoint, chooseRow, chosen, chosenRow } from './choosing.ts';
import { forkFrom } from './fork.tsx';
import { whyNot } from './refused.ts';

export function useTaskKeys(at: Extract<Route, { screen: 'task' }>): void {
  const move = (by: number) => {
    const row = chosen.peek();
    const place = row === null ? (by > 0 ? -1 : rowCount.peek()) : indexOfRow(row);
    const next = Math.min(rowCount.peek() - 1, Math.max(0, place + by));
    chooseRow(rowAt(next)?.row ?? next);
  };
  const checkpoint = () => chosenRow.peek()?.checkpoint ?? null;
  // Where other rows are shown, these keys are theirs.
  const ofSteps: Bindings =
    at.tab === 'steps'
      ? { j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) }
      : {};
  useKeys({
    ...ofSteps,
    '[': () => void chooseCheckpoint(-1),
    ']': () => void chooseCheckpoint(1),
    '+': () => zoomKeys.peek()?.by(2),
    '=': () => zoomKeys.peek()?.by(2),
    '-': () => zoomKeys.peek()?.by(0.5),
    '0': () => zoomKeys.peek()?.fit(),
    a: () => document.querySelector<HTMLElement>('[data-answer] :is(input, button, a)')?.focus(),
    d: () => go({ ...at, tab: 'files', row: chosen.peek() }),
    r: () => {
      const to = checkpoint();
      const reason = whyNot('rollback');
      if (reason) toast(reason);
      else if (to !== null && reason === null) go({ screen: 'rewind', task: at.task, checkpoint: to });
    },
    f: () => {
      const from = checkpoint();
      if (from !== null) forkFrom(from);
    },
    Escape: () => {
      if (chosen.peek() === null) go({ screen: 'tasks' });
      else chooseRow(null);
    },
  });
}
