/** The head of a task: its name, how it stands, and what can be done with it. */
import { say } from '../../ground/language.ts';
import { State } from '../../kit/glyph.tsx';
import { Back } from '../../kit/icons.tsx';
import { Text } from '../../kit/text.tsx';
import { taskAddress } from '../../lib/route.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import type { DisplayStatus } from '../../state/display-status.ts';
import { mayChange } from '../../state/session.ts';
import { thread } from '../../state/task.ts';
import { besideState } from '../tasks/row.tsx';
import { Actions } from './actions.tsx';
import { GitPosition } from './git-position.tsx';

interface HeadProps {
  readonly row: TaskRow;
  readonly shown: Shown | null;
  readonly display: DisplayStatus;
}

export function Head({ row, shown, display }: HeadProps) {
  const from = shown?.forked_from ?? null;
  // Its state was recorded earlier than the last that it did.
  const killed = display === 'interrupted' && thread.value?.marks.findLast(({ kind }) => kind === 'kill');
  const told = killed ? { ...row, updated_at: killed.at } : row;
  return (
    <header class="task-head">
      <a class="button bare back" href="#/" aria-label={say('page.back_to_tasks')}>
        <Back />
      </a>
      <div class="task-name">
        <h1>
          <Text of={row.name} />
        </h1>
        <p class="task-status">
          <State of={display} />
          {display !== 'waiting' && (
            <span class="quiet">
              <Text of={besideState(told, display)} />
            </span>
          )}
          {row.client && <span class="tag">{row.client}</span>}
          {from !== null && (
            <a class="quiet" href={taskAddress(taskOf(from))}>
              {say('page.forked_from', { task: taskOf(from).slice(-6) })}
            </a>
          )}
          <GitPosition row={row} shown={shown} />
          <code class="id">{row.short}</code>
        </p>
      </div>
      {mayChange() && <Actions row={row} actions={shown?.actions ?? []} display={display} />}
    </header>
  );
}

/** Of "ckpt-<task>-12", or of the task itself. */
const taskOf = (from: string): string => /^ckpt-(.+)-\d+$/.exec(from)?.[1] ?? from;
