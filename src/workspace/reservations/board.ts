/** Who has reserved what: the pure part. One board per workspace, so several paths are taken together or not at all. */
import { z } from 'zod';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { meansAll, overlap } from './overlap.ts';

export const reservationSchema = z.object({
  id: z.string(),
  /** The agent it is for. */
  owner: z.string(),
  /** One writer, or many readers. */
  operation: z.enum(['read', 'write']),
  /** Paths and patterns, each as `overlap` reads them. */
  paths: z.array(z.string()),
  acquired_at: z.string(),
  expires_at: z.string(),
  /** Larger with every reservation of the workspace: of two that mean one file, the larger one counts. */
  fence: z.int().positive(),
});

export const boardSchema = z.object({ fence: z.int().nonnegative(), held: z.array(reservationSchema) });

export type Reservation = Readonly<z.infer<typeof reservationSchema>>;
export type Board = Readonly<{ fence: number; held: readonly Reservation[] }>;

/** The board of a workspace as it was stored; CORRUPT if it is not valid. */
export function openBoard(workspace: string, stored: unknown): Board {
  const { data } = boardSchema.safeParse(stored);
  if (data) return data;
  throw new CorruptError(phrase`The record of reserved files is damaged.`, {
    data: { where: `reservations/${workspace}` },
    hint: phrase`When no task is running in this workspace, remove the record reservations/${workspace} from the store.`,
  });
}

export const EMPTY: Board = { fence: 0, held: [] };

export type Wanted = Pick<Reservation, 'id' | 'owner' | 'operation' | 'paths'>;

interface Taken {
  readonly board: Board;
  readonly reservation: Reservation;
  /** Expired reservations that were removed for it. */
  readonly ousted: readonly Reservation[];
}

/** The reservation that prevents this one: never the owner's own, nor one it works under. */
export function conflictingReservation(
  board: Board,
  wanted: Omit<Wanted, 'id'>,
  now: Date,
): Reservation | null {
  return against(board, wanted).find((held) => !isExpired(held, now)) ?? null;
}

/** The reservation by which somebody else has all files for writing. */
export function allHeldBy(board: Board, owner: string, now: Date): Reservation | null {
  const isAll = (held: Reservation): boolean => held.operation === 'write' && held.paths.some(meansAll);
  return (
    board.held.find((held) => !worksUnder(owner, held.owner) && isAll(held) && !isExpired(held, now)) ?? null
  );
}

/** Reserves the paths, or returns the reservation that is in the way. */
export function take(
  board: Board,
  wanted: Wanted,
  now: Date,
  lease_ms: number,
): Taken | { inTheWay: Reservation } {
  const inTheWay = conflictingReservation(board, wanted, now);
  if (inTheWay) return { inTheWay };
  const ousted = against(board, wanted);
  const fence = board.fence + 1;
  const reservation = { ...wanted, ...span(now, lease_ms), fence };
  const held = board.held.filter((other) => !ousted.includes(other) && !isForgotten(other, now));
  return { board: { fence, held: [...held, reservation] }, reservation, ousted };
}

function against(board: Board, wanted: Omit<Wanted, 'id'>): Reservation[] {
  return board.held.filter((held) => !worksUnder(wanted.owner, held.owner) && excludes(held, wanted));
}

/** Renews those of these that are still on the board, even if expired, for a full lease. */
export function renew(board: Board, ids: ReadonlySet<string>, now: Date, lease_ms: number): Board {
  const { expires_at } = span(now, lease_ms);
  return { ...board, held: board.held.map((held) => (ids.has(held.id) ? { ...held, expires_at } : held)) };
}

export function release(board: Board, ids: ReadonlySet<string>): Board {
  return { ...board, held: board.held.filter(({ id }) => !ids.has(id)) };
}

/** Those of an owner, and of agents that work under it. */
export function ofOwner(board: Board, owner: string): Reservation[] {
  return board.held.filter((held) => worksUnder(held.owner, owner));
}

/** Whether it was removed from the board; a board older than the reservation says nothing. */
export function isGone(board: Board, { id, fence }: Reservation): boolean {
  return board.fence >= fence && !board.held.some((held) => held.id === id);
}

export function isExpired({ expires_at }: Reservation, now: Date): boolean {
  return Date.parse(expires_at) <= now.getTime();
}

/** `task/agent/helper` works under `task/agent`. */
function worksUnder(owner: string, above: string): boolean {
  return owner === above || owner.startsWith(`${above}/`);
}

/** Whether it is for files of this one, by its owner or an agent that works under it. */
export function isUnder(wanted: Omit<Wanted, 'id'>, above: Reservation): boolean {
  return worksUnder(wanted.owner, above.owner) && meets(above, wanted);
}

function excludes(held: Reservation, wanted: Omit<Wanted, 'id'>): boolean {
  return (held.operation === 'write' || wanted.operation === 'write') && meets(held, wanted);
}

function meets(held: Reservation, wanted: Pick<Wanted, 'paths'>): boolean {
  return held.paths.some((one) => wanted.paths.some((other) => overlap(one, other)));
}

/** An expired one can be renewed until another agent wants the files, but not forever. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000;

export function isForgotten({ expires_at }: Pick<Reservation, 'expires_at'>, now: Date): boolean {
  return Date.parse(expires_at) + FORGOTTEN_AFTER_MS <= now.getTime();
}

function span(now: Date, lease_ms: number): Pick<Reservation, 'acquired_at' | 'expires_at'> {
  return {
    acquired_at: now.toISOString(),
    expires_at: new Date(now.getTime() + lease_ms).toISOString(),
  };
}
