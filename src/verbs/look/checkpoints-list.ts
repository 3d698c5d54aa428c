/** `checkpoints list`: the checkpoints of a task, oldest first. */

import { type Cell, table } from '../format/table.ts';
import { amountsOf, percentOf } from '../kit/amounts.ts';
import { verb } from '../kit/verb.ts';
import { triggerText } from './trigger.ts';
import { turnOf } from './turns.ts';

export const checkpointsList = verb({
  name: 'checkpoints list',
  group: 'look',
  arguments: { task: { about: 'argument.task', of: 'task' } },
  options: { all: { about: 'checkpoints.list.option.all' } },
  watch: true,
  examples: ['checkpoints list x7k2qf', 'checkpoints list x7k2qf --all'],
  data: {
    task: 'string',
    checkpoints: [
      {
        id: 'string',
        short: 'string',
        sequence_number: 'number',
        seq: 'number',
        created_at: 'time',
        trigger: 'string',
        made: 'string',
        priority: 'string',
        status: 'string',
        step_name: 'string|null',
        step_index: 'number',
        step_status: 'string',
        progress: 'number',
        context_bytes: 'number',
        files_changed: 'number',
        snapshot: 'string|null',
        prompt: 'string|null',
        ref: 'string|null',
      },
    ],
    damaged: [{ sequence_number: 'number', problem: 'string' }],
  },
  async run(call) {
    const { say, paint } = call;
    const ids = await call.ids();
    const task = await ids.task(call.args.task);
    const survey = await (await call.engine()).checkpoints.surveyCheckpoints(task, { all: call.options.all });
    const checkpoints = survey.checkpoints
      .toSorted((a, b) => a.sequence_number - b.sequence_number)
      .map((found) => {
        const { modified, created, deleted } = found.file_changes;
        return {
          id: found.id,
          short: ids.shortCheckpoint(found.id),
          sequence_number: found.sequence_number,
          seq: found.journal.seq,
          created_at: found.created_at,
          trigger: found.trigger,
          made: triggerText(found, say),
          priority: found.priority,
          status: found.state.status,
          step_name: found.step_name,
          step_index: found.step_index,
          step_status: found.step_status,
          progress: found.state.progress,
          context_bytes: found.context.bytes,
          files_changed: modified.length + created.length + deleted.length,
          snapshot: found.snapshot ?? null,
          ...turnOf(found),
        };
      });
    const damaged = survey.damaged.map(({ sequence, problem }) => ({ sequence_number: sequence, problem }));
    const { ago, bytes } = amountsOf(call);
    const rows: Cell[][] = checkpoints.map((one) => [
      one.short,
      [ago(one.created_at), paint.dim],
      `${percentOf(one.progress)}%`,
      bytes(one.context_bytes),
      [one.files_changed === 0 ? '' : say('checkpoints.files', { count: one.files_changed }), paint.dim],
      [one.made, one.priority === 'critical' ? paint.warn : paint.dim],
      one.prompt !== null
        ? [one.prompt, paint.bold]
        : one.step_status === 'failed'
          ? [one.step_name ?? '', paint.bad]
          : (one.step_name ?? ''),
    ]);
    return {
      data: { task, checkpoints, damaged },
      lines: [
        ...(rows.length === 0 ? [say('checkpoints.none')] : table(rows, call.width)),
        ...damaged.map(({ sequence_number: number, problem }) =>
          paint.bad(say('checkpoints.damaged', { number, problem: call.translate(problem) })),
        ),
      ],
    };
  },
});
