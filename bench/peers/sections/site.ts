/** What the sections are given: who is there, how much to do, and where. */
import type { Scratch } from '../../harness.ts';
import type { Contender } from '../contenders.ts';
import type { Sizes } from '../options.ts';
import type { OpenPlace } from '../places/local.ts';
import type { Actions } from '../process/protocol.ts';
import { startWorker, type Worker } from '../process/start.ts';
import type { Row } from '../results.ts';
import { reasonOf } from '../rounds.ts';
import type { PeerName } from '../versions.ts';

export interface Site {
  readonly scratch: Scratch;
  readonly sizes: Sizes;
  readonly contenders: readonly Contender[];
  /** Where each peer that is there is installed. */
  readonly installed: ReadonlyMap<PeerName, string>;
  readonly corpus: string | undefined;
  tell(text: string): void;
}

export interface Opened {
  readonly contender: Contender;
  readonly place: OpenPlace;
}

export function workerOf({ contender, place }: Opened): Worker {
  const { bytes: _, remove: __, ...told } = place;
  return startWorker(contender.module, told);
}

/** Opens a place for each contender that does `action`; rows for those that do not, or cannot be opened. */
export async function openAll(
  { contenders, installed, scratch }: Site,
  action: keyof Actions,
): Promise<{ opened: Opened[]; left: Row[] }> {
  const opened: Opened[] = [];
  const left: Row[] = [];
  for (const contender of contenders) {
    const { name, peer, does } = contender;
    const can = does[action];
    if (can === undefined) continue;
    const row = (failed: string): Row => ({ name, ours: peer === null, samples: [], failed });
    if (can !== true) {
      left.push(row(can));
      continue;
    }
    try {
      opened.push({
        contender,
        place: await contender.open(scratch, peer === null ? '' : installed.get(peer)!),
      });
    } catch (error) {
      left.push(row(reasonOf(error)));
    }
  }
  return { opened, left };
}
