/** Claims: owned through the kernel's locks, recorded in the head so that later fences are larger. */
import { OwnershipError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim } from '../contract.ts';
import type { Tables } from './commit.ts';
import type { Writer } from './group.ts';

export interface Claims {
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
        // Whoever was let in without a claim has finished before this is written.
        await writer.write(() => {
          const head = heads.of(task);
          if (head.id !== null && head.fence >= held.fence) return overtaken(task, held.fence, head.fence);
          heads.put({ ...head, fence: held.fence });
        });
      } catch (error) {
        await held.release();
        throw error;
      }
      return {
        task,
        fence: held.fence,
        lost: new AbortController().signal, // a local claim ends only with its release or its process
        release: async () => {
          await writer.idle();
          await held.release();
        },
      };
    },
  };
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
