/** Schemas that a process uses a few times, or thousands of times. */
import type { ZodSafeParseResult, ZodType } from 'zod';

/** Compiling one, as zod does when it is first used, takes as long as checking so many values without. */
const FEW = 32;

/** `safeParse` of a schema that is compiled once it has been used a few times. */
export function parserOf<T>(schema: ZodType<T>): (value: unknown) => ZodSafeParseResult<T> {
  let uses = 0;
  return (value) => schema.safeParse(value, uses++ < FEW ? { jitless: true } : undefined);
}
