/** What is known of files from a stretch of a journal that is lost: stored with the note of the repair. */
import * as z from 'zod';

/** A stretch between two snapshots in which the task was at work; `doubtful` where others may have been, too. */
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

/** `from` and `to`: the first snapshot and the last that anything is known by. */
const lost = z.strictObject({ from: z.string(), to: z.string(), spans: z.array(span) });

/** `snapshot`: files from that time, where none are known from before. */
export const mended = z.strictObject({ snapshot: z.string().optional(), lost: lost.optional() });

export type LostFiles = z.infer<typeof lost>;
export type LostSpan = z.infer<typeof span>;
