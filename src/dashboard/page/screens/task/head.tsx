/** The head of a task: its name, how it stands, and what can be done with it. */
import { resume } from '../../asking/resume.tsx';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { confirm } from '../../kit/confirm.tsx';
import { State } from '../../kit/glyph.tsx';
import { Back } from '../../kit/icons.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import type { Standing } from '../../state/standing.ts';
import { sentenceOf } from '../tasks/row.tsx';

interface HeadProps {
  readonly row: TaskRow;
  readonly shown: Shown | null;
  readonly standing: Standing;
}

export function Head({ row, shown, standing }: HeadProps) {
  const from = shown?.forked_from ?? null;
  return (
    <header class="task-head">
      <a class="button bare back" href="#/" aria-label={say('page.back_to_tasks')}>
        <Back />
      </a>
      <div class="task-name">
        <h1>
          <Text of={row.name} />
        </h1>
        <p class="task-standing">
          <State of={standing} />
          {standing !== 'waiting' && (
            <span class="quiet">
              <Text of={sentenceOf(row, standing)} />
            </span>
          )}
          {row.client && <span class="tag">{row.client}</span>}
          {from !== null && (
            <a class="quiet" href={taskAddress(taskOf(from))}>
              {say('page.forked_from', { task: taskOf(from).slice(-6) })}
            </a>
          )}
          <code class="id">{row.short}</code>
        </p>
      </div>
      {mayChange() && <Actions row={row} shown={shown} standing={standing} />}
    </header>
  );
}

/** Of "ckpt-<task>-12", or of the task itself. */
const taskOf = (from: string): string => /^ckpt-(.+)-\d+$/.exec(from)?.[1] ?? from;

function Actions({ row, shown, standing }: HeadProps) {
  const runs = row.holder !== null;
  const canResume = !runs && row.resumable && standing !== 'failed';
  return (
    <div class="actions">
      {canResume && mayCall('resume') && (
        <Button kind={standing === 'waiting' ? 'plain' : 'main'} onPress={() => resume(row)}>
          {say('page.resume')}
        </Button>
      )}
      {standing === 'failed' && row.resumable && mayCall('retry') && (
        <Button kind="main" onPress={() => resume(row, 'retry')}>
          {say('page.retry')}
        </Button>
      )}
      {runs && standing === 'running' && mayCall('pause') && (
        <Button onPress={() => pause(row)}>{say('page.pause')}</Button>
      )}
      {shown?.can_redo && mayCall('redo') && (
        <Button onPress={() => redo(row, shown)}>{say('page.redo')}</Button>
      )}
    </div>
  );
}

function pause(row: TaskRow): Promise<boolean> {
  return attempt(async () => {
    await call('pause', { task: row.id });
    toast(say('page.paused', { name: row.name }));
  });
}

/** Redo names what it brings back. */
function redo(row: TaskRow, { redo: known }: Shown): void {
  const files = typeof known?.files === 'number' ? known.files : (known?.files?.length ?? 0);
  confirm({
    title: say('page.redo.title'),
    body: <p>{say('page.redo.text', { steps: known?.steps ?? 0, files })}</p>,
    does: say('page.redo'),
    async run() {
      await call('redo', { task: row.id }, { yes: true });
      toast(say('page.redone'));
    },
  });
}
