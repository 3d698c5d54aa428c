/** The keys of the list: the focus is the chosen row. */
import { useKeys } from '../../state/bindings.ts';

export function useListKeys(): void {
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    a: () => answer(),
  });
}

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];

function move(by: number): void {
  const all = rows();
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next?.querySelector<HTMLElement>('.name')?.focus();
}

/** Of the chosen row, or of the first that asks. */
function answer(): void {
  const own = rows().find((row) => row.contains(document.activeElement));
  const place = own?.querySelector('[data-answer]') ?? document.querySelector('[data-answer]');
  place?.querySelector<HTMLElement>('input, button, a')?.focus();
}
