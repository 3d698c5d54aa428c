/** Renews leases: over a session where there can be one, otherwise over any connection. */
import { elapsed } from '../../system/elapsed.ts';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import { openSession, type Session } from './session.ts';
import { RENEW, RENEW_OVER_SESSION } from './sql/claims.ts';

interface Renewing {
  /** Renews the claims of these owners once; returns when that was sent, and those that are still claims. */
  renew(owners: readonly string[]): Promise<{ readonly sent: number; readonly renewed: ReadonlySet<string> }>;
  /** Whether others may learn from a session that this process is dead. */
  hasSessions(): boolean;
  /** Once there is no claim. */
  end(): void;
}

/** `lost` is called when the claims have to be renewed now, over another session. */
export function openRenewing(connection: Connection, lease_ms: number, lost: () => void): Renewing {
  let session: Session | undefined;
  let isDirect = true;
  let hasEnded = false;
  /** Claims may still name them. */
  const former: Session[] = [];
  /** After a failure the connections of the pool may be as dead. */
  let connect: 'pooled' | 'fresh' = 'pooled';

  async function currentSession(): Promise<Session | undefined> {
    if (session || !isDirect || hasEnded) return session;
    const ended = () => {
      if (!opened || session !== opened) return;
      session = undefined;
      lost();
    };
    // Without one, claims are renewed by statements of their own until one can be opened.
    const opened: Session | null | undefined = await openSession(connection, {
      lease_ms,
      within_ms: lease_ms / 6,
      ended,
    }).catch(() => undefined);
    isDirect = opened !== null;
    if (opened && hasEnded) opened.end();
    else session = opened ?? undefined;
    return session;
  }

  function endFormer(): void {
    for (const each of former.splice(0)) each.end();
  }

  async function send(owners: readonly string[], over: Session | undefined): Promise<{ owner: string }[]> {
    const values = [textArray(owners), lease_ms];
    const ms = lease_ms / 3;
    if (over) return over.send(ms, RENEW_OVER_SESSION, [...values, over.lock]);
    return connection.within({ ms, connect }, RENEW, values);
  }

  return {
    renew: async (owners) => {
      const over = await currentSession();
      const sent = elapsed();
      try {
        const rows = await send(owners, over);
        connect = 'pooled';
        endFormer();
        return { sent, renewed: new Set(rows.map(({ owner }) => owner)) };
      } catch (error) {
        connect = 'fresh';
        if (over) former.push(over);
        if (session === over) session = undefined;
        throw error;
      }
    },
    hasSessions: () => isDirect,
    end: () => {
      hasEnded = true;
      if (session) former.push(session);
      session = undefined;
      endFormer();
    },
  };
}
