/** Questions as verbs answer them. */
import type { OpenQuestion } from '../../engine/reading/questions.ts';
import type { Call } from '../kit/verb.ts';
import { labelOf } from './question-words.ts';

export const QUESTION_SHAPE = {
  id: 'string',
  task: 'string',
  short: 'string',
  name: 'string',
  kind: 'string',
  waits_for: 'string|null',
  text: 'string',
  path: 'string|null',
  options: [{ value: 'string', label: 'string', recommended: 'boolean' }],
  asked_at: 'time',
  timeout_at: 'time|null',
  by: 'string|null',
  conflict: 'boolean',
} as const;

export function shownQuestion(
  question: OpenQuestion,
  short: (task: string) => string,
  { say, translate }: Pick<Call, 'say' | 'translate'>,
) {
  const { id, task, name, kind, waits_for, path, asked_at, timeout_at, by, conflict } = question;
  const { options, recommended, going_back, text } = question;
  return {
    id,
    task,
    short: short(task),
    name,
    kind: kind.replace('file_', ''),
    waits_for,
    text: translate(text),
    path,
    options: options.map((value) => ({
      value,
      label: labelOf(value, going_back, { say }),
      recommended: value === recommended,
    })),
    asked_at,
    timeout_at,
    by,
    conflict,
  };
}

export type ShownQuestion = ReturnType<typeof shownQuestion>;
