/** Resumes tasks despite damage: damaged data is put aside, and if a result is lost the task goes back to before it. */
import { phrase } from '../../phrase.ts';
import { cannotTakeBack, isLostFile, nothingCaptured } from '../files/lost.ts';
import { LostPart } from '../recovery/lost-blobs.ts';
import { repeatAfterMending } from '../recovery/mend.ts';
import { rollBack } from '../recovery/rollback.ts';
import type { Run } from '../run/services.ts';
import { rollBackAndRun } from './rollback-and-run.ts';
import type { RunServices, Runs, TakeUpOptions } from './runs.ts';
import { takeBack } from './take-back.ts';

export function resumePastDamage(services: Omit<RunServices, 'running'>, running: Runs): Runs {
  const takeUp = async (task: string, options: TakeUpOptions, mended: readonly string[]): Promise<Run> => {
    let lost: LostPart | null = null;
    const said = new Set<string>();
    const notify = (lines: readonly string[]): void => {
      for (const line of lines) said.add(line);
      services.notify(lines);
    };
    for (;;) {
      try {
        return await (lost
          ? backBefore({ ...services, running, notify }, task, lost, options)
          : running.takeUp(task, options));
      } catch (error) {
        // Goes back further each time: the agent's context then starts earlier.
        if (error instanceof LostPart && (!lost || error.cut.seq < lost.cut.seq)) {
          lost = error;
          continue;
        }
        // A recovery would have reported it, and what was put aside by one that was refused, too.
        const untold = [...mended, ...(lost?.notes ?? [])].filter((line) => !said.has(line));
        if (untold.length > 0) services.notify([...new Set(untold)]);
        // Files that were to be put back first; one that says what to do about it is passed on.
        throw isLostFile(error) && !isLostFile(error.cause) ? cannotTakeBack(task, error) : error;
      }
    }
  };
  return {
    ...running,
    takeUp: (task, options = {}) =>
      options.claim || options.created
        ? running.takeUp(task, options)
        : repeatAfterMending(services, task, (mended) => {
            const notes = [...(options.notes ?? []), ...mended];
            return takeUp(task, { ...options, notes }, mended);
          }),
  };
}

/** Like a rollback, files included: what came after is removed from the lists, but kept in the store. */
function backBefore(
  services: RunServices,
  task: string,
  lost: LostPart,
  options: TakeUpOptions,
): Promise<Run> {
  return rollBackAndRun(services, task, options, async (claim) => {
    const { cut, message } = lost;
    const to = { cut, reason: message };
    const back = lost.unknown
      ? Promise.reject(nothingCaptured(task))
      : takeBack(services, claim, to, options);
    const { notes, restored } = await back.catch(async (error: unknown) => {
      if (!isLostFile(error)) throw error;
      if (options.on_modified !== 'use_current') throw cannotTakeBack(task, error);
      await rollBack(services, claim, to, { only: 'state' });
      return { notes: [phrase`The files stay as they are: ${error.message}`], restored: [] };
    });
    return { notes: [...new Set([...(options.notes ?? []), ...lost.notes, ...notes])], restored };
  });
}
