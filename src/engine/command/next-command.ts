/**
 * What an `exec` task runs next, read from its input. Its `origin` is set separately by the task's creator, and may say
 * something else.
 */
import * as z from 'zod';
import type { Config } from '../../config/types.ts';
import { CorruptError } from '../../errors.ts';
import type { Storage } from '../../storage/contract.ts';
import { shellFor } from '../../system/process/shell.ts';
import { liveEntries } from '../task/journal.ts';
import { packer } from '../task/packing.ts';
import { type Head, loadHead } from '../task/records/head.ts';

/** The input of an `exec` task. */
const schema = z.object({
  kind: z.literal('command'),
  command: z.array(z.string()).min(1).readonly(),
  /** For the shell; null: the same command again. */
  resume_with: z.string().nullable(),
  /** Where it is run, from the project on. */
  dir: z.string(),
  every_ms: z.number().min(1),
});

export type CommandInput = Readonly<z.infer<typeof schema>>;

export interface NextCommand {
  readonly given: CommandInput;
  /** As one would type it. */
  readonly line: string;
  /** What else it may run: from another checkpoint, after damage, the next time. Null if that is the same. */
  readonly or: string | null;
  /** Exactly what is started, for each of these. */
  readonly argvs: readonly (readonly string[])[];
  readonly head: Head;
}

function isCommand({ origin }: Pick<Head, 'origin'>): boolean {
  return origin?.kind === 'command';
}

/** `again`: from its beginning. Null if it is not an `exec` task, or its input is invalid. */
export async function nextCommand(
  storage: Storage,
  task: string,
  config: Config,
  { again = false }: { readonly again?: boolean } = {},
): Promise<NextCommand | null> {
  const head = await loadHead(storage, task);
  if (!head || !isCommand(head)) return null;
  const given = schema.safeParse(await packer(storage, head, config).unpack(head.input)).data;
  if (!given) return null;
  const first = typed(given.command);
  if (again || given.resume_with === null)
    return { given, head, line: first, or: null, argvs: [given.command] };
  const both = [given.resume_with, first] as const;
  const [line, or] = (await hasBegun(storage, head)) ? both : both.toReversed();
  return { given, head, line: line!, or: or!, argvs: [given.command, shellFor(given.resume_with)] };
}

async function hasBegun(storage: Storage, head: Head): Promise<boolean> {
  try {
    for await (const { entry } of liveEntries(storage, head))
      if (entry.t === 'begin' || entry.t === 'step') return true;
    return false;
  } catch (error) {
    if (error instanceof CorruptError) return true;
    throw error;
  }
}

/** Quoted, so that each argument is recognisable. */
export function typed(command: readonly string[]): string {
  return command.map((part) => (PLAIN.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`)).join(' ');
}

const PLAIN = /^[\w@%+=:,./-]+$/;
