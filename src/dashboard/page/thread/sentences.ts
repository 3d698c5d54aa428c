/** What a mark on the thread says, in a sentence. */
import { moment } from '../ground/clock.ts';
import { say } from '../ground/language.ts';
import { lineOf } from '../lib/shown.ts';
import type { Mark } from '../line/geometry.ts';
import type { DisplayStatus } from '../state/display-status.ts';

/** Of the mark that is pointed at; otherwise of the last that is worth telling. */
export function captionOf(pointed: Mark | null, marks: readonly Mark[], display: DisplayStatus): string {
  if (pointed !== null) return sentenceOf(pointed, marks);
  const notable = marks.findLast(({ kind }) =>
    ['kill', 'rollback', 'redo', 'take', 'fork', 'pause'].includes(kind),
  );
  if (notable) return sentenceOf(notable, marks);
  // How it stands otherwise is said above the line.
  return display === 'done' || display === 'running' ? say(`page.thread.${display}`) : '';
}

function sentenceOf(mark: Mark, marks: readonly Mark[]): string {
  const isFork = mark.kind === 'fork' && mark.text !== null;
  // It stands where the fork leaves; what it says is when that was done.
  const time = moment(isFork ? mark.text : mark.at);
  const next =
    mark.kind === 'kill' ? marks.find(({ kind, at }) => kind === 'recovery' && at >= mark.at) : undefined;
  const plain = next
    ? say('page.mark.kill_and_again', { time, again: moment(next.at) })
    : say(`page.mark.${mark.kind}`, { time });
  const text = isFork ? '' : lineOf(mark.text ?? '', 160);
  if (text === '') return plain;
  if (mark.kind === 'rollback' || mark.kind === 'redo' || mark.kind === 'take')
    return say('page.mark.by', { sentence: plain, who: text });
  return say('page.mark.with', { sentence: plain, text });
}
