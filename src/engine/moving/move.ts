/**
 * Moves everything in one store to another: copied, compared, the settings switched, the old one emptied. At every moment
 * the store that the settings name is complete; if interrupted anywhere, running it again finishes it.
 */
import type { CheckpointsConfig } from '../../config/types.ts';
import { OwnershipError, StoreError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Claim, Storage } from '../../storage/contract.ts';
import {
  MARK,
  type Mark,
  MOVER,
  NOTE,
  type Note,
  readMark,
  readNote,
  refusal,
} from '../../storage/moving/mark.ts';
import { type OnProgress, tracked } from '../../system/progress.ts';
import { type Copied, type CopyOptions, copyHeld, holdAll, refuseOwnKeys } from './copy.ts';
import { emptyStore } from './empty.ts';

/** A store without and with decryption: the same if it is not encrypted. */
interface Sides {
  readonly bare: Storage;
  readonly open: Storage;
}

interface Move extends Pick<CopyOptions, 'onTask' | 'onProgress' | 'signal'> {
  readonly from: Sides;
  readonly to: Sides;
  readonly mark: Mark;
  readonly config: CheckpointsConfig;
  /** Once this returns, the other store is the current one. */
  readonly switchOver: () => void;
}

export interface Moved extends Copied {
  readonly freed: number;
}

/** The lock for moving a store or changing its key; STORE_MOVING while another process has it. */
export async function takeMoversTurn(bare: Storage): Promise<Claim> {
  try {
    return await bare.claim(MOVER);
  } catch (error) {
    if (!(error instanceof OwnershipError)) throw error;
    const { holder, since } = error.data as { holder: string; since: string };
    const mark = await readMark(bare);
    throw new StoreError(
      'STORE_MOVING',
      phrase`The keys of this store are being changed, or it is being moved, by ${holder}.`,
      {
        data: { direction: mark?.direction ?? null, to: mark?.to ?? null, since, holder },
        hint: phrase`Wait until that is done. Nothing was changed.`,
        cause: error,
      },
    );
  }
}

/** The mark of an unfinished move, to be continued; null if there is none. */
export async function markOf(bare: Storage, direction: Mark['direction']): Promise<Mark | null> {
  const there = await readMark(bare);
  if (there?.state === 'moved' || (there && there.direction !== direction)) throw refusal(there);
  return there;
}

/** Marks the store as being moved, so that no process starts anything in it. */
export async function writeMark(bare: Storage, mark: Mark): Promise<void> {
  await bare.save(MARK.category, MARK.key, mark);
}

/** Reverts an unfinished move: the old store works as before. */
export async function abandonMove(from: Storage, to: Storage, mark: Mark): Promise<void> {
  try {
    if ((await readNote(to))?.id !== mark.id) return;
    await emptyStore(to, [NOTE]);
    await to.delete(NOTE.category, NOTE.key);
  } finally {
    await from.delete(MARK.category, MARK.key);
  }
}

export async function moveStore(move: Move): Promise<Copied> {
  const { from, to, config, switchOver } = move;
  await refuseOwnKeys(from.open);
  const claims = await holdAll(from.open);
  try {
    const copied = await copyHeld(from.open, to.open, claims, config, move);
    await to.open.flush();
    switchOver();
    return copied;
  } finally {
    for (const claim of claims) await claim.release();
  }
}

/** After the switch: the old store only says where everything is now. */
export async function leaveEmpty(
  from: Storage,
  to: Storage,
  mark: Mark,
  onProgress?: OnProgress,
): Promise<number> {
  await writeMark(from, { ...mark, state: 'moved' });
  const freed = await tracked(onProgress, (progress) => emptyStore(from, [MARK], progress.of('empty')));
  await to.delete(NOTE.category, NOTE.key);
  return freed;
}

/** Whether the store is empty, or was started by this move. */
export async function isFreeFor(bare: Storage, id: string): Promise<boolean> {
  const note = await readNote(bare);
  if (note) return note.id === id;
  if ((await bare.tasks({ limit: 1 })).keys.length > 0 || (await bare.categories()).length > 0) return false;
  for await (const _ of bare.listBlobs(null)) return false;
  return true;
}

export async function writeNote(bare: Storage, note: Note): Promise<void> {
  await bare.save(NOTE.category, NOTE.key, note);
}
