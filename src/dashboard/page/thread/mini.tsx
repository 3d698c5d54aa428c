/** The thread of a task in a list. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { now } from '../ground/clock.ts';
import { shapesOf } from '../line/geometry.ts';
import { storyOf } from '../line/story.ts';
import type { TaskRow } from '../shapes/types.ts';
import { displayStatus } from '../state/display-status.ts';
import { threadOf } from '../state/threads.ts';
import { Line } from './line.tsx';

const HEIGHT = 30;
const BESIDE = 28;

export function MiniThread({ row }: { readonly row: TaskRow }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      width.value = Math.floor(entry!.contentRect.width);
    });
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const timeline = threadOf(row);
  const display = displayStatus(row);
  const runs = display === 'running' || display === 'waiting';
  // A line that grows is drawn again each second, the others only when they change.
  const time = runs ? now.value : now.peek();
  const room = width.value - BESIDE;
  return (
    <div class="mini" ref={box} aria-hidden="true">
      {timeline && room > 40 && (
        <svg width={width.value} height={HEIGHT} focusable="false" aria-hidden="true">
          <g transform="translate(5 0)">
            <Line
              small
              shapes={shapesOf(storyOf(timeline, time, runs), room)}
              display={display}
              y={HEIGHT / 2}
            />
          </g>
        </svg>
      )}
    </div>
  );
}
