/** Claims: rows in `heads`; what shows that their owners live is in `sessions` (see session.ts). */

const LEASE = `clock_timestamp() + $4 * interval '1 millisecond'`;

/**
 * Returns the resulting owner: the caller, or the one that prevents it. If it runs twice because the first answer was lost,
 * it keeps the fence of the first.
 */
export const CLAIM = {
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
const renew = (then: string) => `WITH mine AS (
      SELECT task FROM $.heads
      WHERE owner = ANY ($1::text[]::uuid[]) AND lease_until > clock_timestamp() ORDER BY task FOR UPDATE
    ), renewed AS (
      UPDATE $.heads h SET lease_until = clock_timestamp() + $2 * interval '1 millisecond'
      FROM mine WHERE h.task = mine.task RETURNING h.owner
    ), ${then}
    SELECT owner FROM renewed`;

/** Over a connection that is no session: from here on the leases alone count. */
export const RENEW = {
  text: renew('unnamed AS (DELETE FROM $.sessions WHERE owner = ANY ($1::text[]::uuid[]))'),
};

/** Over the session whose lock the claims are to name. */
export const RENEW_OVER_SESSION = {
  text: renew(`named AS (
      INSERT INTO $.sessions AS s (owner, lock) SELECT owner, $3 FROM renewed
      ON CONFLICT (owner) DO UPDATE SET lock = excluded.lock, server_start = excluded.server_start
      WHERE s.lock <> excluded.lock
    )`),
};

const released = (
  owner: string,
  task = '',
) => `WITH unnamed AS (DELETE FROM $.sessions WHERE owner = ${owner})
    UPDATE $.heads SET owner = NULL, holder = NULL, lease_until = NULL WHERE ${task} owner = ${owner}`;

export const RELEASE = { text: released('$2', 'task = $1 AND') };

export const RELEASE_ALL = { text: released('ANY ($1::text[]::uuid[])') };

/** As its owner would, if its session has ended. */
export const RELEASE_DEAD = {
  text: `UPDATE $.heads SET owner = NULL, holder = NULL, lease_until = NULL
    WHERE task = $1 AND owner = $2 AND $.ended_session($2) IS NOT NULL RETURNING task`,
};

/** A task that was only ever claimed leaves nothing behind. */
export const FORGET_EMPTY = {
  text: 'DELETE FROM $.heads WHERE task = $1 AND NOT listed AND seq = 0 AND owner IS NULL',
};

/** `ended`: the lock of its owner's session, if that has ended. */
export const OWNER = {
  text: `SELECT owner, fence, holder, claimed_at, $.ended_session(owner)::text AS ended
    FROM $.heads WHERE task = $1 AND lease_until > clock_timestamp()`,
};
