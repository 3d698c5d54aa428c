/** Claims: owned through the kernel's locks, recorded in the head so that later fences are larger. */
import { OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../contract.ts';
import { fencedOut, type Tables } from './commit.ts';
import type { Writer } from './group.ts';

interface Claims {
  claim(task: string): Promise<Claim>;
}

export function openClaims(
  tables: Tables,
  writer: Writer,
  lastFence: (task: string) => Promise<number>,
): Claims {
  const { heads, locks } = tables;
  return {
    async claim(task) {
      const held = await locks.claim(task, await lastFence(task));
      try {
        // Writers without a claim have finished before this is written.
        await writer.write(() => {
          const head = heads.of(task);
          if (head.id !== null && head.fence >= held.fence) return overtaken(task, held.fence, head.fence);
          heads.put({ ...head, fence: held.fence });
        });
      } catch (error) {
        await held.release();
        throw error;
      }
      const lost = new AbortController();
      return {
        task,
        fence: held.fence,
        lost: lost.signal,
        live: () => {
          const why = lossOf(tables, task, held.fence);
          if (why) lost.abort(why);
          return !lost.signal.aborted;
        },
        release: async () => {
          await writer.idle();
          await held.release();
        },
      };
    },
  };
}

/** Why the claim is lost; a database that cannot be read now reports it at the next commit. */
function lossOf({ heads, locks }: Tables, task: string, fence: number): unknown {
  try {
    locks.assertHeld(task, fence);
    const newest = heads.fenceOnDisk(task);
    return newest === null || newest === fence ? null : fencedOut(task, fence, newest);
  } catch (error) {
    return error instanceof OwnershipError ? error : null;
  }
}

function overtaken(task: string, fence: number, current: number): OwnershipError {
  return new OwnershipError(
    'FENCED_OUT',
    phrase`Task ${task} was claimed under number ${fence}, which is not above ${current}.`,
    {
      data: { task, fence, current },
      hint: phrase`The lock directory does not belong to this store: all processes have to use the same one.`,
    },
  );
}
