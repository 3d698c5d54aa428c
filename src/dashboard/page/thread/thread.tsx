/** The thread of a task: the whole line, to be zoomed and scrolled, its agents as lanes below, and what a mark means. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { duration, moment, now } from '../ground/clock.ts';
import { say } from '../ground/language.ts';
import { Button } from '../kit/button.tsx';
import { Minus, Plus } from '../kit/icons.tsx';
import { Text } from '../kit/text.tsx';
import { classes } from '../lib/classes.ts';
import { plainOf } from '../lib/shown.ts';
import { type Mark, nameOf, shapesOf } from '../line/geometry.ts';
import { labelsOf, widthOf } from '../line/labels.ts';
import { storyOf } from '../line/story.ts';
import type { Shown, Timeline } from '../shapes/types.ts';
import { type DisplayStatus, displayStatus } from '../state/display-status.ts';
import { Lanes } from './lanes.tsx';
import { BRANCH, Line, LOOP } from './line.tsx';
import { captionOf } from './sentences.ts';
import { useZoom } from './zoom.ts';

interface ThreadProps {
  readonly timeline: Timeline;
  readonly display: DisplayStatus;
  readonly shown: Shown | null;
  /** The chosen row, or the chosen checkpoint with its entry. */
  readonly chosen: { readonly at: number; readonly seq: number | null } | null;
  /** Everything after it would be rolled back. */
  readonly goes?: boolean;
  onPick(mark: Mark): void;
}

const LEFT = 8;
const RIGHT = 32;

export function Thread({ timeline, display, shown, chosen, goes = false, onPick }: ThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const room = useSignal(0);
  const pointed = useSignal<Mark | null>(null);
  const { zoom, by, fit } = useZoom(scroller);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      room.value = Math.floor(entry!.contentRect.width);
    });
    observer.observe(scroller.current!);
    return () => observer.disconnect();
  }, []);
  const grows = display === 'running' || display === 'waiting';
  const told = storyOf(timeline, grows ? now.value : now.peek(), grows);
  const going =
    goes && chosen?.seq != null
      ? [{ from: chosen.at, to: told.to, after: chosen.seq, before: Number.POSITIVE_INFINITY }]
      : [];
  const story = { ...told, dead: [...told.dead, ...going] };
  const width = Math.max(120, room.value * zoom.value - LEFT - RIGHT);
  const shapes = shapesOf(story, width);
  const cursor = chosen && (chosen.seq === null ? shapes.at(chosen.at) : shapes.ring(chosen.seq, chosen.at));
  const children = new Map(
    (shown?.children ?? []).map((one) => [one.task, displayStatus({ ...one, holder: '' })]),
  );
  const above = shapes.loops.length > 0 ? LOOP + 16 : 24;
  const labels = labelsOf(
    shapes.folds.map(({ from, to, ms }) => ({ at: (from + to) / 2, text: duration(ms) })),
    width + RIGHT,
  );
  const isUnderLoop = (at: number) => shapes.loops.some((loop) => at > loop.from && at < loop.to);
  // The branches keep clear of what is written below the line.
  const drop =
    labels.some(({ at }) => isUnderLoop(at)) || shapes.marks.some(({ count }) => count > 1) ? 16 : 0;
  const below = Math.max(24, shapes.branches.length * BRANCH + drop + 16);
  const height = above + below;
  const markAt = (event: Event): Mark | null => {
    const hit = event.target instanceof Element ? event.target.closest('[data-mark]') : null;
    const name = hit?.getAttribute('data-mark');
    return shapes.marks.find(({ mark }) => nameOf(mark) === name)?.mark ?? null;
  };
  const caption = captionOf(pointed.value ?? null, story.marks, display);
  return (
    <section class="thread" aria-label={say('page.thread')}>
      <header class="thread-head">
        <span class="quiet nowrap">
          {moment(story.from)} … {grows ? say('page.time.now') : moment(story.to)} ·{' '}
          {duration(story.to - story.from)}
        </span>
        <p class="caption" role={pointed.value ? undefined : 'note'}>
          <Text of={caption} />
        </p>
        <div class="thread-tools">
          <Button kind="bare" label={say('page.zoom_out')} onPress={() => by(0.5)}>
            <Minus />
          </Button>
          <Button kind="bare" label={say('page.zoom_in')} onPress={() => by(2)}>
            <Plus />
          </Button>
          <Button kind="bare" whyNot={zoom.value === 1 ? '' : null} onPress={fit}>
            {say('page.fit')}
          </Button>
        </div>
      </header>
      <div
        class="thread-scroll"
        ref={(box) => {
          scroller.current = box;
          if (!box) return;
          box.onpointerover = (event) => {
            pointed.value = markAt(event);
          };
          box.onpointerleave = () => {
            pointed.value = null;
          };
          box.onclick = (event) => {
            const mark = markAt(event);
            if (mark) onPick(mark);
          };
        }}
      >
        {room.value > 0 && (
          <svg
            width={width + LEFT + RIGHT}
            height={height}
            role="img"
            aria-label={say('page.thread_is', { marks: story.marks.length, sentence: caption })}
          >
            <g transform={`translate(${LEFT} 0)`}>
              {cursor !== null && <path class="cursor" d={`M${cursor} 6V${height - 6}`} />}
              <Line
                shapes={shapes}
                display={display}
                y={above}
                forked={(shown?.forked_from ?? null) !== null}
                displayOf={(task) => children.get(task) ?? 'queued'}
                drop={drop}
              />
              {labels.map(({ at, text }) => (
                <text key={text + at} class="fold-label" x={at} y={above + (isUnderLoop(at) ? 22 : -10)}>
                  {text}
                </text>
              ))}
              {shapes.branches.map(({ x, task, row }) => {
                const name = plainOf(
                  shown?.children?.find((one) => one.task === task)?.name ?? task.slice(-6),
                );
                const fits = x + 42 + widthOf(name) < width + RIGHT;
                return (
                  <text
                    key={task}
                    class={classes('branch-label', !fits && 'before')}
                    x={fits ? x + 42 : x - 8}
                    y={above + BRANCH * (row + 1) + drop + 4}
                  >
                    {name}
                  </text>
                );
              })}
            </g>
          </svg>
        )}
        {room.value > 0 && timeline.lanes.length > 1 && (
          <Lanes timeline={timeline} at={shapes.at} left={LEFT} width={width + LEFT + RIGHT} />
        )}
      </div>
    </section>
  );
}
