/** Going on with one of two tries. What becomes of the other is asked first; resuming then says what it runs. */
import { type Signal, signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { resume } from '../../asking/resume.tsx';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { confirm } from '../../kit/confirm.tsx';
import { toast } from '../../kit/toast.tsx';
import { addressOf, taskAddress } from '../../lib/route.ts';
import { plainOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Comparison, Side } from '../../shapes/files.ts';
import { go } from '../../state/route.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import { loadTasks, taskRow } from '../../state/tasks.ts';
import { takeFrom } from '../rewind/request.ts';

interface Labelled {
  readonly label: 'A' | 'B';
  readonly side: Side;
}

export function GoOn({ found }: { readonly found: Comparison }) {
  const sides: readonly [Labelled, Labelled] = [
    { label: 'A', side: found.a },
    { label: 'B', side: found.b },
  ];
  return (
    <div class="actions">
      {sides.map((one, at) =>
        mayChange() && !hasEnded(one.side) ? (
          <Button key={one.label} onPress={() => goOnWith(one, sides[1 - at]!)}>
            {say('page.compare.go_on', { side: one.label })}
          </Button>
        ) : (
          <Link key={one.label} to={taskAddress(one.side.task)}>
            {say('page.compare.open', { side: one.label })}
          </Link>
        ),
      )}
      {mayChange() &&
        mayCall('take') &&
        sides.map((one, at) => {
          const other = sides[1 - at]!;
          if (other.side.files === 0) return null;
          return (
            <Link
              key={one.label}
              to={addressOf({
                screen: 'rewind',
                task: one.side.task,
                checkpoint: takeFrom(other.side.task),
              })}
            >
              {say('page.compare.take', { from: other.label, into: one.label })}
            </Link>
          );
        })}
    </div>
  );
}

const hasEnded = ({ status }: Side): boolean => status === 'completed' || status === 'cancelled';

function goOnWith(chosen: Labelled, other: Labelled): void {
  const cancels = signal(false);
  confirm({
    title: say('page.compare.go_on_title', { side: chosen.label, name: plainOf(chosen.side.name) }),
    body: <Other other={other} cancels={cancels} />,
    does: say('page.compare.go_on', { side: chosen.label }),
    async run() {
      if (cancels.value) {
        await call('cancel', { task: other.side.task });
        toast(say('page.compare.cancelled', { name: plainOf(other.side.name) }));
        await loadTasks();
      }
      const row = taskRow(chosen.side.task);
      go({ screen: 'task', task: chosen.side.task, tab: 'steps', row: null });
      // The next question takes the place of this one.
      if (row && row.holder === null && row.resumable && mayCall('resume'))
        setTimeout(() => void resume(row), 0);
    },
  });
}

function Other({ other, cancels }: { readonly other: Labelled; readonly cancels: Signal<boolean> }) {
  const name = useId();
  const said = { side: other.label, name: plainOf(other.side.name) };
  if (hasEnded(other.side)) return <p>{say('page.compare.other_ended', said)}</p>;
  return (
    <fieldset class="choices">
      <legend>{say('page.compare.other', said)}</legend>
      {([false, true] as const).map((cancel) => (
        <label key={String(cancel)} class="choice">
          <input
            type="radio"
            name={name}
            checked={cancels.value === cancel}
            onChange={() => {
              cancels.value = cancel;
            }}
          />
          <span>{say(cancel ? 'page.compare.other.cancel' : 'page.compare.other.leave')}</span>
        </label>
      ))}
    </fieldset>
  );
}
