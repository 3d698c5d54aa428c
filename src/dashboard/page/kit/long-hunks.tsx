/** Changes of thousands of lines: only those in view are drawn. Its rows are of one height, so nothing is measured. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { jumpFrom, type Layout, longestLine, type Row, rowsOf } from '../diff/rows.ts';
import { say } from '../ground/language.ts';
import { classes } from '../lib/classes.ts';
import { windowOf } from '../lib/window.ts';
import type { Hunk } from '../shapes/types.ts';
import { useScrollView } from './scroll-view.ts';
import { Scrolls } from './scrolls.tsx';

/** Goes to the next or the previous change. */
export type Jump = RefObject<((by: 1 | -1) => void) | null>;

const ROW_HEIGHT = 20;

interface LongHunksProps {
  readonly hunks: readonly Hunk[];
  readonly layout: Layout;
  readonly jump?: Jump | undefined;
  draw(row: Row, key: number): ComponentChildren;
}

export function LongHunks({ hunks, layout, draw, jump }: LongHunksProps) {
  const element = useRef<HTMLElement>(null);
  const { view, measure } = useScrollView(element);
  const rows = useMemo(() => rowsOf(hunks, layout), [hunks, layout]);
  const wide = useMemo(() => longestLine(hunks), [hunks]);
  useEffect(() => {
    if (!jump) return;
    const heads = rows.flatMap(({ kind }, at) => (kind === 'head' ? [at] : []));
    jump.current = (by) => {
      const at = jumpFrom(heads, Math.round(element.current!.scrollTop / ROW_HEIGHT), by);
      element.current!.scrollTop = at * ROW_HEIGHT;
      element.current!.focus();
    };
  });
  const { from, to, offset, height } = windowOf(view.value.top, view.value.height, ROW_HEIGHT, rows.length);
  return (
    <Scrolls
      of={element}
      class={classes('diff', 'long', layout)}
      label={say('page.files.changes')}
      onScroll={measure}
    >
      <div
        class="rows-inner"
        ref={(inner) => {
          inner?.style.setProperty('height', `${height}px`);
          inner?.style.setProperty('min-width', layout === 'unified' ? `${wide + 12}ch` : '0');
        }}
      >
        <div ref={(block) => block?.style.setProperty('top', `${offset}px`)}>
          {rows.slice(from, to).map((row, at) => draw(row, from + at))}
        </div>
      </div>
    </Scrolls>
  );
}
