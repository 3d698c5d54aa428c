/** What came of a row, as a shape. */

import { say } from '../../ground/language.ts';
import { classes } from '../../lib/classes.ts';
import type { RowStatus, Step } from '../../shapes/types.ts';

const STATUS: Readonly<Record<RowStatus, string>> = {
  success: 'm3.5 8.5 3 3 6-7',
  failed: 'm4 4 8 8m0-8-8 8',
  pending: 'M8 3a5 5 0 1 1-5 5',
  unknown: 'M5.6 6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.6M8 12.4v.1',
  skipped: 'M4 8h8',
  refused: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11ZM4.5 11.5l7-7',
};

const KINDS: Readonly<Record<string, string>> = {
  wait: 'M8 2.5 13.5 8 8 13.5 2.5 8Z',
  answer: 'M8 5 11 8l-3 3-3-3Z',
  recovery: 'M5.5 3.5 12 8l-6.5 4.5Z',
  paused: 'M6 4v8m4-8v8',
  checkpoint: 'M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  message: 'M3 4h10v6.5H7L4.5 13v-2.5H3Z',
  decision: 'M8 2.5v5m0 0L4 12m4-4.5L12 12',
  rollback: 'M12 11.5A4.8 4.8 0 1 0 3.8 6M3.2 3v3.4h3.4',
  redo: 'M4 11.5A4.8 4.8 0 1 1 12.2 6m.6-3v3.4H9.4',
  fork: 'M4 3v10M4 8c0-2 6-1 6-4',
};

export function Sign({ step: { kind, status, name } }: { readonly step: Step }) {
  const shape = KINDS[kind === 'status' ? name : kind];
  const path = (status === 'success' || kind === 'wait' ? shape : undefined) ?? STATUS[status];
  return (
    <svg
      class={classes('sign', `of-${kind}`, `was-${status}`)}
      viewBox="0 0 16 16"
      role="img"
      aria-label={say(`page.was.${status}`)}
    >
      <path d={path} />
    </svg>
  );
}
