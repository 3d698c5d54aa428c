/**
 * File reservations: readers and one writer per file, for as long as they are renewed. They are on one board, which every
 * process and machine that can see it changes in turn.
 */
import { WorkspaceError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import { newId } from '../../system/ids.ts';
import { LONGEST_TIMER } from '../../system/time-limit.ts';
import {
  allHeldBy,
  type Board,
  conflictingReservation,
  isExpired,
  isGone,
  isUnder,
  ofOwner,
  type Reservation,
  release,
  renew,
  take,
  type Wanted,
} from './board.ts';
import { type LockFiles, openLockFiles } from './lock-files.ts';
import type { SharedBoard } from './shared-board.ts';

interface ReservationsOptions {
  /** Reservations on one board see each other. */
  readonly board: SharedBoard;
  /** Where the lock files are. */
  readonly locks_dir: string;
  /** The same text for every way to name a file or pattern. */
  readonly identify: (path: string) => string;
  readonly lease_ms: number;
  readonly clock?: Clock;
}

interface Request {
  /** The agent it is for; what it has already reserved is never in its way. */
  readonly owner: string;
  readonly operation: 'read' | 'write';
  /** Paths, directories and patterns. */
  readonly paths: readonly string[];
}

export interface HeldReservation extends Reservation {
  /** Aborted when another owner took it over, with the error that says so. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Reservations {
  /** All paths or none; FILE_RESERVED says who has one of them. */
  reserve(request: Request): Promise<HeldReservation>;
  /** Throws FILE_RESERVED if `reserve` would; reserves nothing. */
  assertFree(request: Request): Promise<void>;
  /** Throws FILE_RESERVED while somebody else has all files reserved for writing. */
  assertNotAll(owner: string): Promise<void>;
  /**
   * Throws RESERVATION_LOST unless it is still held, or can be renewed because nobody else wanted the files in the meantime.
   */
  assertHeld(reservation: Reservation): Promise<void>;
  /** The same, synchronously, by the lock file: notices a takeover by another process of this machine. */
  assertNewest(reservation: Reservation, path: string): void;
  /**
   * Removes reservations that other processes hold for this owner, or for agents under it: for a caller that knows that
   * those processes are dead, or no longer act for it.
   */
  takeBack(owner: string): Promise<void>;
  /** All current reservations. */
  list(): Promise<Reservation[]>;
  /** Releases all reservations of this process. */
  close(): Promise<void>;
}

export function openReservations(options: ReservationsOptions): Reservations {
  const { identify, lease_ms, clock = systemClock } = options;
  const { load, change } = options.board;
  const files: LockFiles = openLockFiles(options.locks_dir);
  const held = new Map<string, { readonly reservation: Reservation; readonly lost: AbortController }>();
  /** Taken over, but not released yet: writes under them are refused. */
  const lost = new Map<string, Reservation>();
  let renewal: NodeJS.Timeout | undefined;

  async function renewAll(): Promise<void> {
    renewal = undefined;
    const ids = new Set(held.keys());
    try {
      const { board } = await change((before) => ({ board: renew(before, ids, clock.now(), lease_ms) }));
      for (const id of ids) {
        const now = board.held.find((one) => one.id === id);
        if (now) files.write(now);
        else lose(id);
      }
    } catch {
      // The lease is three times as long as this: there is time to try again.
    }
    renewLater();
  }

  function renewLater(): void {
    if (held.size > 0) renewal ??= setTimeout(renewAll, Math.min(lease_ms / 3, LONGEST_TIMER)).unref();
  }

  function lose(id: string): void {
    const mine = held.get(id);
    if (!mine) return;
    held.delete(id);
    lost.set(id, mine.reservation);
    mine.lost.abort(reservationLost(mine.reservation));
  }

  /** A write under a reservation that was taken over is refused. */
  function refuseUnderLost(board: Board, wanted: Wanted): void {
    for (const { reservation } of [...held.values()]) if (isGone(board, reservation)) lose(reservation.id);
    const gone = wanted.operation === 'write' && [...lost.values()].find((one) => isUnder(wanted, one));
    if (gone) throw reservationLost(gone);
  }

  async function letGo(ids: readonly string[]): Promise<void> {
    for (const id of ids) lost.delete(id);
    const mine = ids.map((id) => held.get(id)).filter((one) => one !== undefined);
    for (const { reservation } of mine) held.delete(reservation.id);
    if (mine.length === 0) return;
    const gone = new Set(ids);
    for (const { reservation } of mine) files.remove(reservation);
    const free = new Set(mine.flatMap(({ reservation }) => reservation.paths));
    for (const { reservation } of held.values())
      if (reservation.paths.some((path) => free.has(path))) files.write(reservation); // reserved twice over
    await change((board) => ({ board: release(board, gone) }));
  }

  return {
    async reserve({ owner, operation, paths }) {
      const wanted = { id: newId('r'), owner, operation, paths: [...new Set(paths.map(identify))].sort() };
      const taken = await change((board) => {
        refuseUnderLost(board, wanted);
        const answer = take(board, wanted, clock.now(), lease_ms);
        if ('inTheWay' in answer) throw fileReserved(wanted.paths, answer.inTheWay);
        return answer;
      });
      const { reservation } = taken;
      files.write(reservation);
      const lost = new AbortController();
      held.set(reservation.id, { reservation, lost });
      for (const { id } of taken.ousted) lose(id);
      renewLater();
      return { ...reservation, lost: lost.signal, release: () => letGo([reservation.id]) };
    },
    async assertFree({ owner, operation, paths }) {
      const wanted = { owner, operation, paths: paths.map(identify) };
      const inTheWay = conflictingReservation(await load(), wanted, clock.now());
      if (inTheWay) throw fileReserved(wanted.paths, inTheWay);
    },
    async assertNotAll(owner) {
      const inTheWay = allHeldBy(await load(), owner, clock.now());
      if (inTheWay) throw fileReserved(inTheWay.paths, inTheWay);
    },
    async assertHeld(reservation) {
      const board = await load();
      if (board.held.some(({ id }) => id === reservation.id)) return;
      lose(reservation.id);
      throw reservationLost(reservation);
    },
    assertNewest(reservation, path) {
      const newest = files.read(identify(path));
      const another = newest !== null && newest.owner !== reservation.owner;
      if (another && newest.operation === 'write' && newest.fence > reservation.fence)
        throw reservationLost(reservation);
    },
    async takeBack(owner) {
      const { left } = await change((board) => {
        const left = ofOwner(board, owner).filter(({ id }) => !held.has(id));
        const gone = new Set(left.map(({ id }) => id));
        return { board: left.length === 0 ? board : release(board, gone), left };
      });
      for (const reservation of left) files.remove(reservation);
    },
    async list() {
      const board = await load();
      return board.held.filter((one) => !isExpired(one, clock.now()));
    },
    async close() {
      clearTimeout(renewal);
      await letGo([...held.keys()]);
    },
  };
}

function fileReserved(paths: readonly string[], inTheWay: Reservation): WorkspaceError {
  const { owner, operation, expires_at, paths: theirs } = inTheWay;
  const verb = operation === 'write' ? 'writing' : 'reading';
  return new WorkspaceError(
    'FILE_RESERVED',
    phrase`${theirs.join(', ')}: reserved for ${verb} by ${owner}.`,
    {
      data: { paths, owner, operation, expires_at, reserved: theirs },
      hint: phrase`Wait until it is released, at the latest at ${expires_at} unless it is renewed, or give the agents different files.`,
    },
  );
}

function reservationLost({ paths, owner, fence }: Reservation): WorkspaceError {
  return new WorkspaceError(
    'RESERVATION_LOST',
    phrase`The reservation of ${paths.join(', ')} by ${owner} was taken over.`,
    {
      data: { paths, owner, fence },
      hint: phrase`It was not renewed in time. Reserve the files again, read them again, then write.`,
    },
  );
}
