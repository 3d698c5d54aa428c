/**
 * Back to a checkpoint, or taking everything back, or bringing it back: what goes and what stays, before anything happens.
 * The button says what it does, and does it only if the task is still where the preview was made.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { type Route, taskAddress } from '../../lib/route.ts';
import { go } from '../../state/route.ts';
import { taskRow } from '../../state/tasks.ts';
import { Planned } from './planned.tsx';
import { PARTS, type Part, requestOf, titleOf } from './request.ts';
import { RewindThread, usePast } from './rewind-thread.tsx';

export function Rewind({ at }: { readonly at: Extract<Route, { screen: 'rewind' }> }) {
  const { task, checkpoint } = at;
  const part = useSignal<Part>('all');
  const past = usePast(task);
  const checkpoints = past.value?.checkpoints ?? [];
  const place = checkpoints.findIndex(({ id }) => id === checkpoint);
  const choose = (to: string | null | undefined) => {
    if (to && checkpoints.some(({ id }) => id === to)) go({ screen: 'rewind', task, checkpoint: to });
  };
  const keys = {
    '[': () => choose(checkpoints[place - 1]?.id),
    ']': () => choose(place < 0 ? null : checkpoints[place + 1]?.id),
  };
  const name = taskRow(task)?.name ?? '';
  useEffect(() => {
    document.title = say('page.rewind.title', { name });
  }, [name]);
  return (
    <main class="page rewind">
      <ScreenHead title={titleOf(checkpoint)} to={taskAddress(task)} from={name} />
      <RewindThread past={past} task={task} checkpoint={checkpoint} part={part.value} onChoose={choose} />
      {requestOf(task, checkpoint, part.value).parts && (
        <fieldset class="chips" aria-label={say('page.rewind.what')}>
          {PARTS.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={part.value === one}
              onClick={() => {
                part.value = one;
              }}
            >
              {say(`page.rewind.part.${one}`)}
            </button>
          ))}
        </fieldset>
      )}
      {/* What was decided is about one checkpoint. */}
      <Planned key={checkpoint} task={task} checkpoint={checkpoint} part={part.value} keys={keys} />
    </main>
  );
}
