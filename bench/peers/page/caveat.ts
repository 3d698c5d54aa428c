/** What takes away from the figures of a run. */
import { isDeepStrictEqual } from 'node:util';
import { FULL } from '../options.ts';
import type { Results } from '../results.ts';

/** Null for a run at full size on a machine that had nothing else to do. */
export function caveatOf({ machine, sizes }: Results): string | null {
  const reasons = [
    ...(machine.load > machine.cpus
      ? [`other work on the machine (load ${machine.load} on ${machine.cpus} cores)`]
      : []),
    ...(isDeepStrictEqual(sizes, FULL) ? [] : ['less work than by default']),
  ];
  return reasons.length === 0 ? null : `**Preliminary**: measured with ${reasons.join(' and ')}.`;
}
