/** A call that a person has to approve waits, also after the client has ended, and is made or refused when the session is resumed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooked, setHooked } from '../hooked.ts';
import type { Check, Outcome } from './check.ts';

interface Asked {
  readonly questions: readonly { readonly id: string; readonly task: string; readonly text: string }[];
}

export const approve: Check = {
  name: 'approve',
  async *run(client) {
    if (client !== 'claude') {
      yield { part: 'approvals', problems: [], skipped: 'it cannot end a turn before a call' };
      return;
    }
    const push = (name: string) => [
      { calls: [{ kind: 'shell' as const, command: `echo pushed > ${name}` }] },
      { text: 'Done.' },
    ];
    const shell = (command: string) => ({ kind: 'shell' as const, command });
    const both = [
      {
        calls: [
          shell('echo pushed > first.txt'),
          shell('echo free > free.txt'),
          shell('echo pushed > last.txt'),
        ],
      },
      { text: 'Done.' },
    ];
    await using stage = await setHooked(client, () => ({ both, yes: push('yes.txt'), no: push('no.txt') }));
    await stage.vibe('config', 'set', 'agents.approve', 'Bash(echo pushed *)', '--user');
    const isThere = (name: string) => existsSync(join(stage.place.project, name));
    yield* several(stage);
    for (const [script, value] of [
      ['yes', 'yes'],
      ['no', 'no'],
    ] as const) {
      const first = await stage.ask(`[[${script}]] Push it.`);
      const { questions } = await stage.vibe<Asked>('questions');
      const [asked] = questions;
      const [task] = await stage.tasks();
      yield {
        part: `${script}: waits (${asked?.text ?? 'nothing is asked'})`,
        problems: [
          ...(/"stop_reason":"tool_deferred"/.test(first.stdout) ? [] : ['the call was not deferred']),
          ...(questions.length === 1 ? [] : [`${questions.length} questions are asked`]),
          ...(task?.status === 'waiting' ? [] : [`its task is ${task?.status}`]),
          ...(task?.holder === null ? [] : ['somebody still runs it']),
          ...(isThere(`${script}.txt`) ? ['the command ran unasked'] : []),
        ],
      };
      if (!asked) return;
      await stage.vibe('questions', 'answer', asked.task, asked.id, value);
      // As `resume` starts it, without a screen.
      const resumed = await stage.vibe<{ status: string }>('resume', asked.task);
      const { history, task: after } = await stage.show(asked.task);
      const [step] = history.steps;
      const body = JSON.stringify(stage.model.asked.findLast((one) => one.script === script)?.body ?? '');
      yield {
        part: `${script}: resumed`,
        problems: [
          ...(isThere(`${script}.txt`) === (value === 'yes')
            ? []
            : ['the command did not do as it was told']),
          ...(step?.status === (value === 'yes' ? 'success' : 'skipped')
            ? []
            : [JSON.stringify(history.steps)]),
          ...(after.idle ? [] : [`its task is ${after.status} (${resumed.status})`]),
          ...(value === 'no' && !body.includes('refused this call') ? ['the model was not told'] : []),
        ],
      };
    }
    const { problems } = await stage.vibe<{ problems: readonly unknown[] }>('doctor');
    yield { part: 'whole', problems: problems.map((one) => JSON.stringify(one)) };
  },
};

/** Of several calls in one answer, one waits; the other that needs approval is refused, and the one that does not runs. */
async function* several(stage: Hooked): AsyncGenerator<Outcome> {
  const there = () =>
    ['first', 'free', 'last'].filter((name) => existsSync(join(stage.place.project, `${name}.txt`))).join();
  await stage.ask('[[both]] Push several.');
  const { questions } = await stage.vibe<Asked>('questions');
  const before = there();
  const [asked] = questions;
  yield {
    part: 'several: one waits',
    problems: [
      ...(before === 'free' ? [] : [`these ran: ${before}`]),
      ...(questions.length === 1 ? [] : [`${questions.length} questions are asked`]),
    ],
  };
  if (!asked) return;
  await stage.vibe('questions', 'answer', asked.task, asked.id, 'yes');
  await stage.vibe('resume', asked.task);
  const { history, task } = await stage.show(asked.task);
  const ended = history.steps.map(({ status }) => status).join();
  yield {
    part: 'several: resumed',
    problems: [
      ...(there() === 'first,free' ? [] : [`these ran: ${there()}`]),
      ...(ended === 'success,skipped,success' ? [] : [`recorded: ${JSON.stringify(history.steps)}`]),
      ...(task.idle ? [] : [`its task is ${task.status}`]),
    ],
  };
}
