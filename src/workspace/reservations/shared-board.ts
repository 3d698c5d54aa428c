/**
 * Where the board of a workspace is. In the store, where other machines or other directories share it. Otherwise in a file
 * that is not synced: a power cut ends every process that had reserved something, and with it all that the board was for.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answering, isDamage, StaleWriteError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import { placeFileUnsynced, readIfExists } from '../../system/files.ts';
import { jsonIn } from '../../system/json.ts';
import { type Board, boardSchema, EMPTY, openBoard } from './board.ts';

export interface SharedBoard {
  load(): Promise<Board>;
  /** Changes it by a pure function, which is called again if another process was faster. */
  change<T extends { readonly board: Board }>(step: (board: Board) => T): Promise<T>;
}

const CATEGORY = 'reservations';
const LONGEST_PAUSE_MS = 20;

/** Processes and machines that share the store change it by comparing revisions. */
export function boardInStore(storage: Storage, workspace: string, clock: Clock): SharedBoard {
  const read = async (): Promise<{ board: Board; revision: number | null }> => {
    const record = await storage.get(CATEGORY, workspace).catch(answering(isDamage, DAMAGED));
    if (record === DAMAGED) return { board: replacement(clock), revision: null };
    return record
      ? { board: openBoard(workspace, record.data), revision: record.revision }
      : { board: EMPTY, revision: 0 };
  };
  return {
    load: async () => (await read()).board,
    async change(step) {
      for (;;) {
        const { board, revision } = await read();
        const changed = step(board);
        if (changed.board === board) return changed;
        try {
          const write = { category: CATEGORY, key: workspace, data: changed.board };
          const expect = revision === null ? {} : { expect: revision };
          await storage.commit({ task: null, records: [{ ...write, ...expect }] });
          return changed;
        } catch (error) {
          if (!(error instanceof StaleWriteError)) throw error;
        }
        await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    },
  };
}

export function boardFile(root: string): string {
  return join(root, '.vibe-engine', 'locks', 'reservations.json');
}

/** `turn` excludes the other processes of this machine while a synchronous function runs. */
export function boardInFile(path: string, turn: <T>(run: () => T) => Promise<T>, clock: Clock): SharedBoard {
  const read = (): Board => readBoard(path) ?? replacement(clock);
  return {
    load: async () => read(),
    change: (step) =>
      turn(() => {
        const board = read();
        // A power cut may have brought back an older one: its numbers are below those of lock files that are still there.
        const fence = Math.max(board.fence, clock.now().getTime());
        const before = { ...board, fence };
        const changed = step(before);
        if (changed.board !== before) placeFileUnsynced(path, Buffer.from(JSON.stringify(changed.board)));
        return changed;
      }),
  };
}

/** Null if there is none that can be read. */
export function readBoard(path: string): Board | null {
  const bytes = readIfExists(path);
  return bytes && (boardSchema.safeParse(jsonIn(bytes.toString('utf8'))).data ?? null);
}

/** Reservations last for minutes: a damaged board is replaced by a new one, with numbers above all it can have had. */
function replacement(clock: Clock): Board {
  return { fence: clock.now().getTime(), held: [] };
}

const DAMAGED: unique symbol = Symbol('damaged');
