/** The agents of a task, one lane each, on the same time as the thread: told by place and name, never by colour. */
import { say } from '../ground/language.ts';
import { Text } from '../kit/text.tsx';
import type { Timeline } from '../shapes/types.ts';

const HEIGHT = 16;
const MOST = 8;

interface LanesProps {
  readonly timeline: Timeline;
  readonly left: number;
  readonly width: number;
  at(time: number): number;
}

export function Lanes({ timeline, left, width, at }: LanesProps) {
  const lanes = timeline.lanes.slice(0, MOST);
  const most = Math.max(1, ...timeline.bins.flatMap(({ agents }) => Object.values(agents)));
  return (
    <ul class="lanes" aria-label={say('page.lanes')}>
      {lanes.map(({ agent, name, rows }) => (
        <li key={agent ?? ''} class="lane">
          <span class="lane-name">
            <Text of={`${agent === null ? say('page.lane_main') : name} · ${rows}`} />
          </span>
          <svg width={width} height={HEIGHT} aria-hidden="true" focusable="false">
            <path class="lane-line" d={`M${left} ${HEIGHT - 0.5}H${width}`} />
            {timeline.bins.map((bin) => {
              const count = bin.agents[agent ?? ''] ?? 0;
              if (count === 0) return null;
              const from = at(Date.parse(bin.from));
              const to = Math.max(from + 2, at(Date.parse(bin.to)) - 1);
              const height = Math.max(3, Math.sqrt(count / most) * (HEIGHT - 2));
              return (
                <rect
                  key={bin.from}
                  class="lane-bar"
                  x={left + from}
                  y={HEIGHT - height}
                  width={to - from}
                  height={height}
                  rx="1"
                />
              );
            })}
          </svg>
        </li>
      ))}
      {timeline.lanes.length > MOST && (
        <li class="quiet small">{say('page.more_lanes', { count: timeline.lanes.length - MOST })}</li>
      )}
    </ul>
  );
}
