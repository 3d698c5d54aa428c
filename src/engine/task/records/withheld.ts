/**
 * `tasks/{task}/withheld`: what an export left out because it seemed to contain a secret, so that a later error can say why
 * it is missing.
 */

import * as z from 'zod';
import { CorruptError, WorkspaceError } from '../../../errors.ts';
import { phrase } from '../../../phrase.ts';
import type { Storage } from '../../../storage/contract.ts';
import { loadHead } from './head.ts';
import { keyOf, type RecordKind } from './kind.ts';

export interface Withheld {
  /** `file/{sha256}`, or `snapshot/{sha256}` where it is a name in it. */
  readonly id: string;
  /** Of the file. */
  readonly path: string | null;
}

const schema = z.strictObject({
  version: z.literal('1.0'),
  parts: z.array(z.string().regex(/^(?:file|snapshot)\/[0-9a-f]{64}$/)),
});

/** Written again by each export. */
export const WITHHELD: RecordKind = {
  category: 'tasks',
  key: '{task}/withheld',
  travels: 'always',
  keeps: 'all',
  check(stored, task) {
    if (parseWithheld(stored)) return;
    throw new CorruptError(phrase`What was withheld from task ${task} cannot be read.`, {
      data: { task },
      hint: phrase`Export it again. Nothing was changed.`,
    });
  },
};

export function withheldKey(task: string): string {
  return keyOf(WITHHELD, task);
}

export function withheldRecord(parts: Iterable<string>): z.infer<typeof schema> {
  return { version: '1.0', parts: [...new Set(parts)] };
}

/** An invalid record withholds nothing. */
function parseWithheld(stored: unknown): readonly string[] | null {
  return schema.safeParse(stored).data?.parts ?? null;
}

export async function withheldFrom(storage: Storage, task: string): Promise<readonly string[]> {
  return parseWithheld(await storage.load('tasks', withheldKey(task))) ?? [];
}

/** Does the work; if it fails for lack of something withheld from the task or its ancestors, the error says so. */
export async function unlessWithheld<T>(storage: Storage, task: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const lacking = error instanceof WorkspaceError ? lackedBy(error) : null;
    if (lacking === null || !(await isWithheld(storage, task, lacking))) throw error;
    throw withheld(error as WorkspaceError, lacking);
  }
}

/** From the task, or from those it was forked from. */
export async function isWithheld(storage: Storage, task: string, part: string): Promise<boolean> {
  const head = await loadHead(storage, task);
  for (const one of [task, ...(head?.lineage ?? []).map((share) => share.task)])
    if ((await withheldFrom(storage, one)).includes(part)) return true;
  return false;
}

function lackedBy({ code, data }: WorkspaceError): string | null {
  if (code === 'CONTENT_MISSING') return `file/${data.hash}`;
  return code === 'SNAPSHOT_NOT_FOUND' && typeof data.missing === 'string' ? data.missing : null;
}

function withheld(cause: WorkspaceError, id: string): WorkspaceError {
  const what =
    typeof cause.data.path === 'string' ? phrase`The content of ${cause.data.path}` : phrase`A list of files`;
  return new WorkspaceError(
    'CONTENT_MISSING',
    phrase`${what} was left out when the task was exported, because it seems to contain a secret.`,
    {
      data: { ...cause.data, withheld: id },
      cause,
      hint: phrase`Nothing was changed. Export the task with --reveal, and import it into another project.`,
    },
  );
}
