/**
 * Claims: a lease by the server's clock, with a fence and an owner that every write checks. One statement renews all of
 * them. A claim counts as lost here no later than on the server: its time runs from before the renewal was sent.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { elapsed } from '../../system/elapsed.ts';
import { LONGEST_TIMER } from '../../system/time-limit.ts';
import type { Claim, Owner } from '../contract.ts';
import { fencedOut } from '../refusals.ts';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import { leased } from './refusals.ts';

export interface Claims {
  claim(task: string): Promise<Claim>;
  owner(task: string): Promise<Owner | null>;
  /** The owner of the claim with this fence; if it is not held here, a name that the server does not know. */
  ownerOf(task: string, fence: number | undefined): string | null;
  releaseAll(): Promise<void>;
}

interface Held {
  readonly task: string;
  readonly owner: string;
  readonly fence: number;
  readonly lost: AbortController;
  /** Until when it is ours, by the clock that includes sleep. */
  until: number;
  expiry?: NodeJS.Timeout;
}

export function openClaims(connection: Connection, lease_ms: number): Claims {
  const held = new Map<string, Held>();
  const asked = new Set<Promise<Claim>>();
  const holder = `${hostname()}, process ${process.pid}`;
  let renewal: NodeJS.Timeout | undefined;

  async function renewAll(connect: 'pooled' | 'fresh' = 'pooled'): Promise<void> {
    const claims = [...held.values()];
    const sent = elapsed();
    let wait = lease_ms / 3;
    let next: typeof connect = 'pooled';
    try {
      const owners = textArray(claims.map(({ owner }) => owner));
      const rows = await connection.within<{ owner: string }>({ ms: lease_ms / 3, connect }, RENEW, [
        owners,
        lease_ms,
      ]);
      const renewed = new Set(rows.map(({ owner }) => owner));
      for (const claim of claims) {
        if (renewed.has(claim.owner)) expireAfter(claim, sent);
        else lose(claim);
      }
    } catch {
      // The lease limits how long to retry; the other connections may be as dead as this one.
      wait = lease_ms / 15;
      next = 'fresh';
    }
    renewal = undefined;
    renewLater(wait, next);
  }

  function renewLater(wait: number, connect?: 'fresh' | 'pooled'): void {
    if (held.size > 0) renewal ??= timer(() => renewAll(connect), wait);
  }

  function expireAfter(claim: Held, since: number): void {
    clearTimeout(claim.expiry);
    claim.until = since + lease_ms;
    if (held.has(claim.owner)) claim.expiry = timer(() => lose(claim), claim.until - elapsed());
  }

  function lose(claim: Held): void {
    clearTimeout(claim.expiry);
    if (held.delete(claim.owner)) claim.lost.abort(fencedOut(claim.task, claim.fence, null));
  }

  /** Not left to the timer: a process that was stopped for long handles pending input before any timer fires. */
  function isLive(claim: Held): boolean {
    if (elapsed() >= claim.until) lose(claim);
    return held.has(claim.owner);
  }

  async function release(claim: Held): Promise<void> {
    if (!held.delete(claim.owner)) return;
    clearTimeout(claim.expiry);
    await connection.query(RELEASE, [claim.task, claim.owner]);
    await connection.query(FORGET_EMPTY, [claim.task]);
  }

  async function take(task: string): Promise<Claim> {
    const owner = randomUUID();
    let sent = 0;
    let row: ClaimRow | undefined;
    // A concurrent owner is seen only at the next attempt: there is no row yet, or one without owner.
    while (!row?.owner) {
      [row] = await connection.patiently(() => {
        sent = elapsed();
        return connection.send<ClaimRow>(CLAIM, [task, owner, holder, lease_ms]);
      });
    }
    if (row.owner !== owner) throw leased(task, ownerOf(row));
    const fence = Number(row.fence);
    const lost = new AbortController();
    const claim: Held = { task, owner, fence, lost, until: sent };
    held.set(owner, claim);
    expireAfter(claim, sent);
    renewLater(lease_ms / 3);
    return { task, fence, lost: lost.signal, live: () => isLive(claim), release: () => release(claim) };
  }

  return {
    claim: (task) => {
      const claim = take(task);
      asked.add(claim);
      const forget = () => asked.delete(claim);
      claim.then(forget, forget);
      return claim;
    },
    owner: async (task) => {
      const [row] = await connection.query<OwnerRow>(OWNER, [task]);
      if (!row) return null;
      return ownerOf(row);
    },
    ownerOf: (task, fence) => {
      if (fence === undefined) return null;
      const own = held.values().find((claim) => claim.task === task && claim.fence === fence);
      return own?.owner ?? NOBODY;
    },
    releaseAll: async () => {
      await Promise.allSettled(asked);
      clearTimeout(renewal);
      const claims = [...held.values()];
      held.clear();
      for (const { expiry } of claims) clearTimeout(expiry);
      if (claims.length === 0) return;
      await connection.once(RELEASE_ALL, [textArray(claims.map(({ owner }) => owner))]);
    },
  };
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Keeps no process alive. */
function timer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.min(Math.max(ms, 0), LONGEST_TIMER)).unref();
}

interface OwnerRow {
  fence: string;
  holder: string;
  claimed_at: Date;
}

interface ClaimRow extends OwnerRow {
  owner: string | null;
}

function ownerOf({ fence, holder, claimed_at }: OwnerRow): Owner {
  return { fence: Number(fence), holder, since: claimed_at.toISOString() };
}

const LEASE = `clock_timestamp() + $4 * interval '1 millisecond'`;

/**
 * Returns the resulting owner: the caller, or the one that prevents it. If it runs twice because the first answer was lost,
 * it keeps the fence of the first.
 */
const CLAIM = {
  text: `WITH taken AS (
      INSERT INTO $.heads AS h (task, fence, owner, holder, claimed_at, lease_until)
      VALUES ($1, nextval('$.numbers'), $2, $3, clock_timestamp(), ${LEASE})
      ON CONFLICT (task) DO UPDATE SET
        fence = CASE WHEN h.owner = $2 THEN h.fence ELSE nextval('$.numbers') END,
        owner = $2, holder = $3, claimed_at = clock_timestamp(), lease_until = ${LEASE}
      WHERE h.owner = $2 OR h.lease_until IS NULL OR h.lease_until <= clock_timestamp()
      RETURNING owner, fence, holder, claimed_at
    )
    SELECT * FROM taken
    UNION ALL
    SELECT owner, fence, holder, claimed_at FROM $.heads WHERE task = $1 AND NOT EXISTS (SELECT FROM taken)`,
};

/** Locked in the order in which commits lock them. */
export const RENEW = {
  text: `WITH mine AS (
      SELECT task FROM $.heads
      WHERE owner = ANY ($1::text[]::uuid[]) AND lease_until > clock_timestamp() ORDER BY task FOR UPDATE
    )
    UPDATE $.heads h SET lease_until = clock_timestamp() + $2 * interval '1 millisecond'
    FROM mine WHERE h.task = mine.task RETURNING h.owner`,
};

const RELEASE = {
  text: 'UPDATE $.heads SET owner = NULL, holder = NULL, lease_until = NULL WHERE task = $1 AND owner = $2',
};

const RELEASE_ALL = {
  text: 'UPDATE $.heads SET owner = NULL, holder = NULL, lease_until = NULL WHERE owner = ANY ($1::text[]::uuid[])',
};

/** A task that was only ever claimed leaves nothing behind. */
const FORGET_EMPTY = {
  text: 'DELETE FROM $.heads WHERE task = $1 AND NOT listed AND seq = 0 AND owner IS NULL',
};

const OWNER = {
  text: 'SELECT fence, holder, claimed_at FROM $.heads WHERE task = $1 AND lease_until > clock_timestamp()',
};
