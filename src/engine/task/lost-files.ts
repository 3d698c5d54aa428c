/** What is known about files in a lost part of a journal: stored with the note of the repair. */
import * as z from 'zod';

/** The time between two snapshots in which the task was running; `doubtful` if others may have changed files, too. */
const span = z.strictObject({
  from: z.string(),
  to: z.string(),
  /** In milliseconds. */
  since: z.number(),
  until: z.number(),
  doubtful: z.boolean().optional(),
  /** It can have changed no others. */
  paths: z.array(z.string()).optional(),
});

const lost = z.strictObject({
  /** The first and the last known snapshot. */
  from: z.string(),
  to: z.string(),
  spans: z.array(span),
  /** The files that the task may have changed after the last one; default: any that was there. */
  open: z.array(z.string()).optional(),
});

/** `snapshot`: files from that time, where none are known from before. */
export const mended = z.strictObject({ snapshot: z.string().optional(), lost: lost.optional() });

export type LostFiles = z.infer<typeof lost>;
export type LostSpan = z.infer<typeof span>;
