/**
 * Claims: a lease by the server's clock, with a fence and an owner that every write checks. One statement renews all of
 * them. A claim counts as lost here no later than on the server: its time runs from before the renewal was sent. The claim
 * of a process that is known to be dead (see session.ts) is released by the first that asks for it.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../../system/elapsed.ts';
import { LONGEST_TIMER } from '../../system/time-limit.ts';
import type { Claim, Owner } from '../contract.ts';
import { fencedOut } from '../refusals.ts';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import { leased } from './refusals.ts';
import { openRenewing } from './renewing.ts';
import { GRACE_MS } from './session.ts';
import { CLAIM, FORGET_EMPTY, OWNER, RELEASE, RELEASE_ALL, RELEASE_DEAD } from './sql/claims.ts';

interface Claims {
  claim(task: string): Promise<Claim>;
  owner(task: string): Promise<Owner | null>;
  /** The owner of the claim with this fence; if it is not held here, a name that the server does not know. */
  ownerOf(task: string, fence: number | undefined): string | null;
  /** Releases the claim of a process that is dead; whether the task has no owner now. */
  releaseDead(task: string): Promise<boolean>;
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
  const renewing = openRenewing(connection, lease_ms, () => renewIn(0));
  let renewal: NodeJS.Timeout | undefined;
  let isRenewing = false;
  /** By the same clock as the leases. */
  let due = Number.POSITIVE_INFINITY;
  /** When sessions were first found to have ended, by their locks. */
  const endings = new Map<string, number>();

  async function renewAll(): Promise<void> {
    const claims = [...held.values()];
    isRenewing = true;
    due = Number.POSITIVE_INFINITY;
    let wait = lease_ms / 3;
    try {
      const { sent, renewed } = await renewing.renew(claims.map(({ owner }) => owner));
      for (const claim of claims) {
        if (renewed.has(claim.owner)) expireAfter(claim, sent);
        else lose(claim);
      }
    } catch {
      // The lease limits how long to retry.
      wait = lease_ms / 15;
    }
    isRenewing = false;
    renewIn(wait);
  }

  /** Or earlier, if that is planned. */
  function renewIn(ms: number): void {
    due = Math.min(due, elapsed() + ms);
    if (isRenewing || held.size === 0) return;
    clearTimeout(renewal);
    renewal = timer(renewAll, due - elapsed());
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
    while (row?.owner !== owner) {
      [row] = await connection.patiently(() => {
        sent = elapsed();
        return connection.send<ClaimRow>(CLAIM, [task, owner, holder, lease_ms]);
      });
      const isOwned = row?.owner && row.owner !== owner;
      if (isOwned && !(await releaseDead(task))) throw leased(task, ownerOf(row!));
    }
    const fence = Number(row.fence);
    const lost = new AbortController();
    const claim: Held = { task, owner, fence, lost, until: sent };
    held.set(owner, claim);
    expireAfter(claim, sent);
    renewIn(renewing.hasSessions() ? SOON_MS : lease_ms / 3);
    return { task, fence, lost: lost.signal, live: () => isLive(claim), release: () => release(claim) };
  }

  async function releaseDead(task: string): Promise<boolean> {
    const [row] = await connection.query<OwnerRow>(OWNER, [task]);
    if (!row) return true;
    if (row.ended === null) return false;
    const since = endings.get(row.ended) ?? elapsed();
    endings.set(row.ended, since);
    await sleep(Math.max(0, since + GRACE_MS - elapsed()));
    const released = await connection.query(RELEASE_DEAD, [task, row.owner]);
    return released.length > 0;
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
      if (!row || (row.ended !== null && (await releaseDead(task)))) return null;
      return ownerOf(row);
    },
    releaseDead,
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
      try {
        if (claims.length > 0)
          await connection.once(RELEASE_ALL, [textArray(claims.map(({ owner }) => owner))]);
      } finally {
        renewing.end();
      }
    },
  };
}

/** Claims that are made together name their session together. */
const SOON_MS = 5;

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Keeps no process alive. */
function timer(run: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(run, Math.min(Math.max(ms, 0), LONGEST_TIMER)).unref();
}

interface ClaimRow {
  owner: string | null;
  fence: string;
  holder: string;
  claimed_at: Date;
}

interface OwnerRow extends ClaimRow {
  ended: string | null;
}

function ownerOf({ fence, holder, claimed_at }: ClaimRow): Owner {
  return { fence: Number(fence), holder, since: claimed_at.toISOString() };
}
