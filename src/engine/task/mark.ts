/** Checkpoints in a journal: most are marks in the entries they were made with. */
import * as z from 'zod';

const count = z.int().min(0);
/** A value as `checkpoint/values/pack.ts` stores it: itself, or a reference to a blob. */
const packed = z.unknown();

/** A checkpoint that was made with the entry. What it says besides is read off the entries up to here. */
export const mark = z
  .strictObject({
    /** Its number. */
    n: count,
    /** Its trigger; default: what is usual for its entry. */
    by: z.string().optional(),
    /** Default: what is usual for its trigger. */
    priority: z.enum(['normal', 'high', 'critical']).optional(),
    /** The current agent, if it is not that of the entry. */
    agent: z.string().optional(),
    /** The files, if the entry does not name their snapshot. */
    snapshot: z.string().optional(),
    /** How they changed since the checkpoint before; packed. */
    changes: packed.optional(),
    /** Each value packed. */
    metadata: z.record(z.string(), packed).optional(),
    requires: z.record(z.string(), z.string()).optional(),
    /** Why the task failed. */
    error: z.strictObject({ name: z.string(), message: z.string() }).optional(),
    /** Those that leave the list with it, by how far their numbers are below its own. They can still be loaded by their ids. */
    drops: z.array(count).optional(),
  })
  .optional();
export type Mark = NonNullable<z.infer<typeof mark>>;
