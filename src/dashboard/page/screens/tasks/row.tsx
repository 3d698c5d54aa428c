/** A task in the list: what is with it in a sentence, its thread, and last its id. */

import { resume } from '../../asking/resume.tsx';
import { ago, duration, moment, since } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Glyph } from '../../kit/glyph.tsx';
import { Text } from '../../kit/text.tsx';
import { classes } from '../../lib/classes.ts';
import { taskAddress } from '../../lib/route.ts';
import { lineOf, withShortIds } from '../../lib/shown.ts';
import type { TaskRow } from '../../shapes/types.ts';
import { type DisplayStatus, displayStatus } from '../../state/display-status.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import { MiniThread } from '../../thread/mini.tsx';

export function Row({ row }: { readonly row: TaskRow }) {
  const display = displayStatus(row);
  const goesOn = ['interrupted', 'failed', 'paused'].includes(display) && row.resumable && mayChange();
  const verb = display === 'failed' ? 'retry' : 'resume';
  return (
    <article class={classes('task-row', `is-${display}`)} data-row data-task={row.id}>
      <Glyph of={display} />
      <div class="told">
        <p class="cut">
          <a class="name" href={taskAddress(row.id)}>
            <Text of={row.name} />
          </a>
          {row.client && <span class="tag">{row.client}</span>}
        </p>
        <p class="sentence cut">
          <Text of={sentenceOf(row, display)} />
        </p>
      </div>
      <MiniThread row={row} />
      <div class="row-end">
        {goesOn && mayCall(verb) && <Button onPress={() => resume(row, verb)}>{say(`page.${verb}`)}</Button>}
        <span class="quiet when">{ago(row.updated_at)}</span>
        <code class="id">{row.short}</code>
      </div>
    </article>
  );
}

/** Where a task stands, in one sentence. */
function sentenceOf(row: TaskRow, display: DisplayStatus): string {
  const step = row.step ?? (display === 'interrupted' || display === 'running' ? row.detail : null);
  const named = { step: lineOf((step ?? '').replace(/^tool:/, ''), 80), time: moment(row.updated_at) };
  switch (display) {
    case 'interrupted':
      return step ? say('page.is.interrupted_at', named) : say('page.is.interrupted', named);
    case 'running': {
      const percent = row.progress ? `${Math.floor(row.progress)} %` : null;
      const doing = step
        ? say('page.is.running_at', named)
        : say('page.is.running', { amount: since(row.created_at) });
      return percent === null ? doing : `${percent} · ${doing}`;
    }
    case 'failed':
      return row.detail ? lineOf(row.detail) : say('page.is.failed');
    case 'paused':
      return row.detail
        ? say('page.is.paused_for', { reason: lineOf(withShortIds(row.detail)) })
        : say('page.is.paused');
    case 'idle':
      return say('page.is.idle');
    case 'cancelled':
      return row.detail
        ? say('page.is.cancelled_for', { reason: lineOf(row.detail) })
        : say('page.is.cancelled');
    case 'done':
      return say('page.is.done', {
        amount: duration(Math.max(0, Date.parse(row.updated_at) - Date.parse(row.created_at))),
      });
    case 'waiting':
      return row.detail ? lineOf(row.detail) : say('page.asks.you');
    case 'queued':
      return say('page.is.queued');
  }
}

/** The same beside the word of its state, which it does not repeat. */
export function besideState(row: TaskRow, display: DisplayStatus): string {
  if (['failed', 'paused', 'cancelled'].includes(display)) return lineOf(withShortIds(row.detail ?? ''));
  return sentenceOf(row, display);
}
