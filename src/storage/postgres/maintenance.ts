/** Operations on a whole task, or on the store. */
import { CorruptError } from '../../errors.ts';
import { START } from '../chain.ts';
import type { Position, Repair } from '../contract.ts';
import { textArray } from './arrays.ts';
import type { Journal } from './journal.ts';
import { type Lane, laneCall } from './lane.ts';
import { type Refusal, refusalError } from './refusals.ts';

interface Care {
  removeTask(task: string, fence: number | undefined): Promise<boolean>;
  compact(task: string, fence: number | undefined): Promise<number>;
  repair(task: string, fence: number | undefined): Promise<Repair | null>;
  deleteBlobs(task: string | null, ids: readonly string[], stored_before?: string): Promise<number>;
}

/** `ownerOf`: the owner of the claim with a given fence. */
export function openMaintenance(
  lane: Lane,
  journal: Journal,
  ownerOf: (task: string, fence: number | undefined) => string | null,
): Care {
  async function call<T>(expression: string, ...values: unknown[]): Promise<T> {
    const call = laneCall(`done AS MATERIALIZED (SELECT ${expression} AS answer)`);
    const answer = JSON.parse(await lane.send({ call, values: () => values })) as T | { refused: Refusal };
    if (typeof answer === 'object' && answer !== null && 'refused' in answer)
      throw refusalError(answer.refused);
    return answer as T;
  }

  const claimed = (task: string, fence: number | undefined) => [task, fence, ownerOf(task, fence)];

  return {
    removeTask: async (task, fence) => {
      const { removed } = await call<{ removed: number }>(
        '$.remove_task($3, $4, $5)',
        ...claimed(task, fence),
      );
      return removed > 0;
    },
    compact: async (task, fence) => {
      const { freed } = await call<{ freed: number }>('$.compact_task($3, $4, $5)', ...claimed(task, fence));
      return freed;
    },
    repair: async (task, fence) => {
      await call(MAY_WRITE, ...claimed(task, fence));
      const found = await firstDamage(journal, task);
      if (!found) return null;
      const { kept, damage } = found;
      const cut = [kept.seq, kept.hash];
      const rows = await call<Aside>('$.repair_task($3, $4, $5, $6, $7)', ...claimed(task, fence), ...cut);
      const aside =
        rows.first_id === null ? 'damaged, no row' : `damaged, rows ${rows.first_id} to ${rows.last_id}`;
      return { kept, aside, message: damage.message };
    },
    deleteBlobs: async (task, ids, stored_before) => {
      const { removed } = await call<{ removed: number }>(
        '$.delete_blobs($3, $4, $5)',
        task ?? '',
        textArray(ids),
        stored_before ?? null,
      );
      return removed;
    },
  };
}

/** Even an intact task is repaired only by a process that may write it. */
const MAY_WRITE = `coalesce('{"refused":' ||
  $.refusal((SELECT h FROM $.heads h WHERE task = $3), $3, $4, $5) || '}', '{}')`;

interface Aside {
  first_id: number | null;
  last_id: number | null;
}

/** The first thing wrong with a journal, and the last good position before it. */
async function firstDamage(
  journal: Journal,
  task: string,
): Promise<{ kept: Position; damage: CorruptError } | null> {
  let kept: Position = START;
  try {
    for await (const part of journal.steps(task)) kept = part.at(-1) ?? kept;
    return null;
  } catch (damage) {
    if (damage instanceof CorruptError) return { kept: { seq: kept.seq, hash: kept.hash }, damage };
    throw damage;
  }
}
