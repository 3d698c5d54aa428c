/**
 * A client that is killed in a shell command: its task is interrupted at once, and when the session is resumed, the model is told
 * of the call that was cut off, and what it changed, before it acts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Hooked, setHooked } from '../hooked.ts';
import { SESSIONS } from '../sessions.ts';
import type { Check } from './check.ts';

/** How soon others may see that it was interrupted. */
const SOON_MS = 1_000;

const { scripts } = SESSIONS.find(({ name }) => name === 'killed')!;

export const killed: Check = {
  name: 'killed',
  async *run(client) {
    await using stage = await setHooked(client, scripts);
    const running = await stage.start('[[slow]] Take your time.');
    await running.until(join(stage.place.project, 'begun.txt'));
    await running.kill();
    const took = await untilGone(stage);
    const [task, ...more] = await stage.tasks();
    yield {
      part: `interrupted (the host ended after ${took} ms)`,
      problems: [
        ...(took <= SOON_MS ? [] : [`that is more than ${SOON_MS} ms`]),
        ...(more.length > 0 ? [`there are ${1 + more.length} tasks`] : []),
        ...(task!.holder === null ? [] : [`${task!.holder} has it still`]),
        ...(task!.idle ? ['the task is idle'] : []),
        ...(task!.status === 'in_progress' && task!.resumable ? [] : [JSON.stringify(task)]),
      ],
    };
    writeFileSync(join(stage.place.project, 'base.txt'), 'of a person\n');
    await stage.ask('[[after]] Continue.', { resume: task!.session });
    const asked = stage.model.asked.find(({ script }) => script === 'after');
    const { tools: _, ...said } = (asked?.body ?? {}) as Record<string, unknown>;
    const told = textsIn(said).join('\n');
    const note = /Vibe Engine:\n.*was cut off .* Changed since, by it or by others: .*begun\.txt/;
    const person = /Vibe Engine:\n(?:.*\n)*?.*[Cc]hanged .*base\.txt/;
    yield { part: 'told', problems: note.test(told) ? [] : [`the model was sent ${told.slice(-1_500)}`] };
    yield {
      part: 'told what a person changed',
      problems: person.test(told) ? [] : [`the model was sent ${told.slice(-1_500)}`],
    };
    const shown = await stage.show(task!.id);
    const states = shown.history.steps.map(({ status }) => status).join();
    yield {
      part: 'recorded',
      problems: [
        ...(states === 'success,failed,success' ? [] : [`the calls are ${states}`]),
        // The shell lives on after the client: whose changes were made until the session was resumed is not known.
        ...(shown.files.changed.join() === 'a.txt,b.txt' ? [] : [`files: ${shown.files.changed}`]),
        ...(/^(?:base.txt,)?begun.txt$/.test(shown.files.in_doubt.join())
          ? []
          : [`in doubt: ${shown.files.in_doubt}`]),
        ...(shown.task.idle ? [] : ['the task is not idle']),
        ...((await stage.tasks()).length === 1 ? [] : ['there is another task']),
      ],
    };
    const back = await stage.vibe('rollback', task!.id, '--to', shown.turns[0]!.ref, '--yes').then(
      () => 'nothing was asked',
      (error: Error) => (/NEEDS_ANSWER/.test(error.message) ? '' : error.message),
    );
    const kept = readFileSync(join(stage.place.project, 'base.txt'), 'utf8') === 'of a person\n';
    yield {
      part: 'a rollback asks whose they are',
      problems: [...(back === '' ? [] : [back]), ...(kept ? [] : ['a person’s change is lost'])],
    };
  },
};

/** Wherever a client puts it: some have instructions beside the messages. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** How long it took until nobody recorded it any more. */
async function untilGone(stage: Hooked): Promise<number> {
  const began = performance.now();
  while (stage.ours().length > 0) await sleep(10);
  return Math.round(performance.now() - began);
}
