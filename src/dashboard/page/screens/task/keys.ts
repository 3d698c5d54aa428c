/** The keys of a task's screen. */
import type { Route } from '../../lib/route.ts';
import { useKeys } from '../../state/bindings.ts';
import { go } from '../../state/route.ts';
import { rowAt, rowCount } from '../../state/task.ts';
import { zoomKeys } from '../../state/zoom.ts';
import { chooseCheckpoint, chooseRow, chosen, chosenRow } from './choosing.ts';
import { forkFrom } from './fork.tsx';

export function useTaskKeys(at: Extract<Route, { screen: 'task' }>): void {
  const move = (by: number) => {
    const place = chosen.peek() ?? (by > 0 ? -1 : rowCount.peek());
    const next = Math.min(rowCount.peek() - 1, Math.max(0, place + by));
    chooseRow(rowAt(next)?.row ?? next);
  };
  const checkpoint = () => chosenRow.peek()?.checkpoint ?? null;
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '[': () => chooseCheckpoint(-1),
    ']': () => chooseCheckpoint(1),
    '+': () => zoomKeys.peek()?.by(2),
    '=': () => zoomKeys.peek()?.by(2),
    '-': () => zoomKeys.peek()?.by(0.5),
    '0': () => zoomKeys.peek()?.fit(),
    a: () => document.querySelector<HTMLElement>('[data-answer] :is(input, button, a)')?.focus(),
    d: () => go({ ...at, tab: 'files', row: chosen.peek() }),
    r: () => {
      const to = checkpoint();
      if (to !== null) go({ screen: 'rewind', task: at.task, checkpoint: to });
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
