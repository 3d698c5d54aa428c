/** What a preview of a rollback, an undo or a redo says besides the files, and how it is held to. */
import { StaleWriteError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Storage } from '../../storage/contract.ts';
import { deciding, type FileChoices } from '../files/choices.ts';
import { conversationAt } from '../history/conversation-end.ts';
import type { EngineServices } from '../run/services.ts';
import type { Cut } from '../task/cut.ts';
import type { Head } from '../task/records/head.ts';
import type { ConversationCut } from './rollback-results.ts';

/** As it would be chosen, where nobody is asked. */
export function chosenIn<T extends FileChoices>({ config }: Pick<EngineServices, 'config'>, given: T): T {
  const { on_modified, on_deleted } = deciding(config, given, { task: '', prompter: undefined }).choices;
  return { ...given, on_modified, on_deleted };
}

/** Null for a task that is none of an agent in its own program. */
export async function conversationCut(
  storage: Storage,
  head: Head,
  cut: Cut | null,
): Promise<ConversationCut | null> {
  const { origin } = head;
  if (origin?.kind !== 'agent') return null;
  const end = cut && (await conversationAt(storage, head, cut));
  const { client, session } = { ...origin, ...end?.session } as Readonly<Record<string, unknown>>;
  return { client: String(client), session: String(session), place: end?.cut?.place ?? null };
}

export async function refuseMoved(storage: Storage, task: string, expect: number | undefined): Promise<void> {
  if (expect !== undefined) assertUnmoved(task, (await storage.position(task)).seq, expect);
}

export function assertUnmoved(task: string, position: number, expect: number | undefined): void {
  if (expect === undefined || position === expect) return;
  throw new StaleWriteError(phrase`Task ${task} has moved on since this was previewed.`, {
    data: { task, expected: expect, position },
    hint: phrase`Nothing was changed. Look at the preview again (--dry-run), and use the position that it names.`,
  });
}
