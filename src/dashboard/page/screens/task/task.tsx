/** A task: where it is, how it got there, and what can be done now. */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Link } from '../../kit/button.tsx';
import { Problem, Waits } from '../../kit/notes.tsx';
import type { Route } from '../../lib/route.ts';
import { plainOf } from '../../lib/shown.ts';
import { displayStatus } from '../../state/display-status.ts';
import { route, settle } from '../../state/route.ts';
import { failure, lookAt, refresh, shown, thread } from '../../state/task.ts';
import { taskRow } from '../../state/tasks.ts';
import { Thread } from '../../thread/thread.tsx';
import { chooseRow, chosenRow } from './choosing.ts';
import { Detail } from './detail.tsx';
import { Head } from './head.tsx';
import { useTaskKeys } from './keys.ts';
import { Now } from './now.tsx';
import { TaskTabs } from './tabs.tsx';

export function Task({ at }: { readonly at: Extract<Route, { screen: 'task' }> }) {
  const { task } = at;
  useEffect(() => {
    chooseRow(at.row);
    return lookAt(task);
  }, [task]);
  useEffect(() => {
    if (at.row !== null) chooseRow(at.row);
  }, [at.row]);
  useTaskKeys(at);
  const row = shown.value?.task ?? taskRow(task);
  useEffect(() => {
    if (row) document.title = plainOf(row.name);
  }, [row?.name]);
  if (!row)
    return (
      <main class="page wide">
        {failure.value === null ? (
          <Waits lines={5} />
        ) : (
          <>
            <Problem error={failure.value} again={() => refresh(task)} />
            <Link kind="bare" to="#/">
              {say('page.back_to_tasks')}
            </Link>
          </>
        )}
      </main>
    );
  const display = displayStatus({ ...row, ...taskRow(row.id) });
  const chosen = chosenRow.value;
  return (
    <main class="page wide task" data-task={row.id}>
      <Head row={row} shown={shown.value} display={display} />
      <Now row={taskRow(row.id) ?? row} />
      {failure.value !== null && <Problem error={failure.value} again={() => refresh(task)} />}
      {thread.value ? (
        <Thread
          timeline={thread.value}
          display={display}
          shown={shown.value}
          chosen={chosen && { at: Date.parse(chosen.at), seq: null }}
          onPick={(mark) => {
            if (mark.row !== null) pick(mark.row);
          }}
        />
      ) : (
        failure.value === null && <Waits lines={2} />
      )}
      <div class="task-body">
        <TaskTabs at={at} row={row} />
        <Detail row={row} />
      </div>
    </main>
  );
}

/** Shows a row of the steps, wherever one was. */
function pick(row: number): void {
  chooseRow(row);
  const at = route.peek();
  if (at.screen === 'task' && at.tab !== 'steps') settle({ ...at, tab: 'steps', row: null });
}
