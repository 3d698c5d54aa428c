/** What the task asks now, and what it is doing. */
import { Answer, AskedText, questionsOf } from '../../asking/answer.tsx';
import { ago, since } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import { refresh, shown } from '../../state/task.ts';

export function Now({ row }: { readonly row: TaskRow }) {
  const asked = questionsOf(row);
  const all = shown.value?.in_progress ?? [];
  // The head names the one that a plain task is at.
  const busy = all.length === 1 && all[0]!.agent === null && all[0]!.attempt === 1 ? [] : all;
  const files = shown.value?.files.changed.length ?? 0;
  return (
    <>
      {shown.value?.unfinished && <Unfinished row={row} verb={shown.value.unfinished} />}
      {asked.map((question) => (
        <section class="needs-card is-waiting" key={question.id} aria-label={say('page.section.needs')}>
          <div class="asked">
            <AskedText question={question} />
            <p class="small quiet">
              {say('page.asked', { time: ago(question.asked_at) })}
              {question.timeout_at && ` ${say('page.until', { time: ago(question.timeout_at) })}`}
            </p>
            <div class="actions">
              <Answer row={row} question={question} />
              {files > 0 && (
                <Link kind="bare" to={taskAddress(row.id, 'files')}>
                  {say('page.see_files', { count: files })}
                </Link>
              )}
            </div>
          </div>
        </section>
      ))}
      {busy.length > 0 && (
        <ul class="busy" aria-label={say('page.in_progress')}>
          {busy.map(({ id, name, agent, attempt, started_at }) => (
            <li key={id} class="tag">
              <Text of={agent ? `${agent} ${name}` : name} /> {attempt > 1 && `×${attempt}`}{' '}
              {since(started_at)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Its files are between two points: a process ended while it changed them. */
function Unfinished({
  row,
  verb,
}: {
  readonly row: TaskRow;
  readonly verb: NonNullable<Shown['unfinished']>;
}) {
  const finish = () =>
    attempt(async () => {
      await call('finish', { task: row.id });
      toast(say('page.unfinished.done'));
      await refresh(row.id);
    });
  return (
    <section class="note warn" role="alert">
      <p>
        <strong>{say(`page.unfinished.${verb === 'finish' ? 'take' : verb}`)}</strong>{' '}
        {say('page.unfinished.text')}
      </p>
      {mayChange() && mayCall('finish') && (
        <Button kind="main" onPress={finish}>
          {say('page.unfinished.finish')}
        </Button>
      )}
    </section>
  );
}
