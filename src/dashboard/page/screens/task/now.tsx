/** What the task asks now, and what it is doing. */
import { Answer, questionsOf } from '../../asking/answer.tsx';
import { ago, since } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import type { TaskRow } from '../../shapes/types.ts';
import { shown } from '../../state/task.ts';

export function Now({ row }: { readonly row: TaskRow }) {
  const asked = questionsOf(row);
  const busy = shown.value?.in_progress ?? [];
  return (
    <>
      {asked.map((question) => (
        <section class="needs-card is-waiting" key={question.id} aria-label={say('page.section.needs')}>
          <div class="asked">
            <p class="sentence">
              <Text of={question.text} />
              {question.path && (
                <code class="path">
                  <Text of={question.path} />
                </code>
              )}
            </p>
            <p class="small quiet">
              {say('page.asked', { time: ago(question.asked_at) })}
              {question.timeout_at && ` ${say('page.until', { time: ago(question.timeout_at) })}`}
            </p>
            <Answer row={row} question={question} />
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
