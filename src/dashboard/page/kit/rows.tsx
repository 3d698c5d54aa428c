/**
 * A list of any length: only the rows in view are drawn. One element has the focus, and says which row is chosen; arrows,
 * Home, End, Page Up and Page Down move it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { scrollFor, windowOf } from '../lib/window.ts';
import { useScrollView } from './scroll-view.ts';

interface RowsProps {
  readonly label: string;
  readonly total: number;
  readonly rowHeight: number;
  /** -1: none. */
  readonly chosen: number;
  /** Keeps the newest row in view while the list is at its end. */
  readonly follow?: boolean;
  draw(row: number): ComponentChildren;
  onChoose(row: number): void;
  onOpen?(row: number): void;
  /** The rows that are drawn have to be there. */
  onRange?(from: number, to: number): void;
}

export function Rows(props: RowsProps) {
  const { label, total, rowHeight, chosen, follow, draw, onChoose, onOpen, onRange } = props;
  const element = useRef<HTMLDivElement>(null);
  const id = useId();
  const atEnd = useRef(false);
  const { view, measure } = useScrollView(element, ({ scrollTop, clientHeight, scrollHeight }) => {
    atEnd.current = scrollTop + clientHeight >= scrollHeight - rowHeight;
  });
  useLayoutEffect(() => {
    if (follow && atEnd.current && chosen < 0) element.current!.scrollTop = total * rowHeight;
  }, [total, rowHeight]);
  useLayoutEffect(() => {
    if (chosen < 0) return;
    const to = scrollFor(chosen, element.current!.scrollTop, element.current!.clientHeight, rowHeight);
    if (to !== null) element.current!.scrollTop = to;
    measure();
  }, [chosen, rowHeight]);
  const { from, to, offset, height } = windowOf(view.value.top, view.value.height, rowHeight, total);
  useEffect(() => onRange?.(from, to), [from, to, total]);
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.value.height / rowHeight) - 1);
    const next = moved(event.key, chosen, total, page);
    if (next !== null) onChoose(next);
    else if (event.key === 'Enter' && chosen >= 0) onOpen?.(chosen);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={element}
      class="rows"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen >= from && chosen < to ? `${id}-${chosen}` : undefined}
      onScroll={measure}
      onKeyDown={onKey}
    >
      <div
        class="rows-inner"
        role="presentation"
        ref={(inner) => inner?.style.setProperty('height', `${height}px`)}
      >
        <div role="presentation" ref={(block) => block?.style.setProperty('top', `${offset}px`)}>
          {Array.from({ length: Math.max(0, to - from) }, (_, index) => {
            const row = from + index;
            return (
              <div
                key={row}
                id={`${id}-${row}`}
                class="row"
                role="option"
                tabIndex={-1}
                aria-selected={row === chosen}
                aria-setsize={total}
                aria-posinset={row + 1}
                onClick={() => onChoose(row)}
                onDblClick={() => onOpen?.(row)}
                onKeyDown={() => {}}
              >
                {draw(row)}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** Where a key leads; null where it is no movement. */
function moved(key: string, chosen: number, total: number, page: number): number | null {
  const last = total - 1;
  if (last < 0) return null;
  const to = (row: number) => Math.min(last, Math.max(0, row));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return to(chosen + 1);
    case 'ArrowUp':
    case 'k':
      return to(chosen < 0 ? last : chosen - 1);
    case 'PageDown':
      return to(chosen + page);
    case 'PageUp':
      return to(chosen - page);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return null;
  }
}
