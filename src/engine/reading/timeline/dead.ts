/** What was rolled back, by journal. Pure. */
import type { Head, Ranges } from '../../task/records/head.ts';

/** `journal`: its number in the lineage; the task's own is the one after it. */
export function deadOf(head: Head, journal: number): Ranges {
  return head.lineage[journal]?.dead ?? head.dead;
}

export function sameDead(a: Head, b: Head): boolean {
  const dead = ({ dead, lineage }: Head): string => JSON.stringify([dead, lineage.map((one) => one.dead)]);
  return dead(a) === dead(b);
}
