/** What `keys encrypt` and `keys decrypt` answer of a move. */
export const MOVED = {
  to: 'string|null',
  tasks: 'number',
  entries: 'number',
  records: 'number',
  blobs: 'number',
  freed: 'number',
} as const;

/** Of one that was cut off when all was moved already. */
export const NOTHING_MOVED = { to: null, tasks: 0, entries: 0, records: 0, blobs: 0, freed: 0 } as const;
