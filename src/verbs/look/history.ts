/** `history`: what a task did, step by step, with every attempt. */

import { tidy } from '../format/width.ts';
import { amountsOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';
import { stepLines } from './step-lines.ts';

export const history = verb({
  name: 'history',
  group: 'look',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  watch: true,
  examples: ['history x7k2qf', 'history x7k2qf --json'],
  data: {
    execution_id: 'string',
    task_name: 'string',
    start_time: 'time|null',
    end_time: 'time|null',
    total_duration: 'number',
    status: 'string',
    task_status: 'string',
    error: 'string|null',
    recovery_attempts: 'number',
    checkpoints: ['string'],
    last_checkpoint: 'string|null',
    files_undone: [{ at: 'time', by: 'string|null', checkpoint: 'string|null' }],
    steps: [
      {
        id: 'string',
        name: 'string',
        agent: 'string|null',
        index: 'number',
        status: 'string',
        started_at: 'time',
        duration_ms: 'number',
        result: 'string|null',
        attempts: [{ attempt: 'number', started_at: 'time', duration_ms: 'number', error: 'any' }],
      },
    ],
    versions: 'any',
  },
  async run(call) {
    const { say, paint } = call;
    const id = await (await call.ids()).task(call.args.task);
    const found = await (await call.engine()).history(id);
    const amounts = amountsOf(call);
    const { start_time, steps, total_duration, recovery_attempts, error } = found;
    const began =
      start_time === null
        ? say('history.not_begun')
        : say('history.began', { time: amounts.moment(start_time) });
    const counts = {
      steps: steps.length,
      time: amounts.duration(total_duration),
      recoveries: recovery_attempts,
    };
    const drift = (found.versions?.drift_events ?? []).map(({ detected_at, type, resolution }) =>
      say('history.drift', {
        time: amounts.moment(detected_at),
        type: say(`drift.type.${type}`),
        resolution: say(`drift.resolution.${resolution}`),
      }),
    );
    const undone = found.files_undone.map(({ at, by, checkpoint }) =>
      say(checkpoint === null ? 'history.files_undone' : 'history.files_rolled_back', {
        time: amounts.moment(at),
        by: by ?? '–',
        checkpoint: checkpoint ?? '',
      }),
    );
    return {
      data: { ...found, steps: plain(steps) as typeof steps, versions: plain(found.versions) },
      lines: [
        `${paint.bold(tidy(found.task_name))} ${say(`status.${found.task_status}`)}`,
        say('text.two', { first: began, second: say('history.counts', counts) }),
        ...stepLines(found, { ...call, amounts, most: null }),
        ...drift,
        ...undone,
        ...(error === null ? [] : [paint.bad(say('history.error', { error: call.translate(error) }))]),
      ],
    };
  },
});
