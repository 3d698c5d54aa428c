/** A task that waits for a person: its question comes first, and is answered in place. */
import { Answer, AskedText, questionsOf } from '../../asking/answer.tsx';
import { resume } from '../../asking/resume.tsx';
import { ago, since } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Glyph } from '../../kit/glyph.tsx';
import { Text } from '../../kit/text.tsx';
import { taskAddress } from '../../lib/route.ts';
import type { Question, TaskRow } from '../../shapes/types.ts';
import { mayCall } from '../../state/session.ts';
import { MiniThread } from '../../thread/mini.tsx';

export function NeedsCard({ row }: { readonly row: TaskRow }) {
  const asked = questionsOf(row);
  return (
    <article class="needs-card is-waiting" data-row data-task={row.id}>
      <header>
        <Glyph of="waiting" />
        <a class="name" href={taskAddress(row.id)}>
          <Text of={row.name} />
        </a>
        {row.client && <span class="tag">{row.client}</span>}
        <span class="quiet when">{say('page.waits_since', { amount: since(row.updated_at) })}</span>
      </header>
      {asked.map((question) => (
        <Asked key={question.id} row={row} question={question} />
      ))}
      {asked.length === 0 && (
        <div class="asked">
          <p class="sentence">
            <Text of={row.detail ?? say('page.asks.you')} />
          </p>
          {row.holder === null && row.resumable && mayCall('resume') && (
            <div class="actions" data-answer>
              <Button kind="main" onPress={() => resume(row)}>
                {say('page.resume')}
              </Button>
            </div>
          )}
        </div>
      )}
      <footer>
        <MiniThread row={row} />
        <code class="id">{row.short}</code>
      </footer>
    </article>
  );
}

function Asked({ row, question }: { readonly row: TaskRow; readonly question: Question }) {
  return (
    <div class="asked">
      <AskedText question={question} />
      {question.timeout_at && (
        <p class="small until">{say('page.until', { time: ago(question.timeout_at) })}</p>
      )}
      <Answer row={row} question={question} />
    </div>
  );
}
