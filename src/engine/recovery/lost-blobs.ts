/** Blobs that are missing or damaged: which is the first entry of the journal that needs one. Reads only. */

import { createTrimmer } from '../../checkpoint/context/trim.ts';
import { blobIdsIn, looksLikeReference } from '../../checkpoint/values/blob-ref.ts';
import type { LoadBlob } from '../../checkpoint/values/pack.ts';
import { CorruptError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Services } from '../api/services.ts';
import { contextItems } from '../task/conversation.ts';
import type { Cut } from '../task/cut.ts';
import type { Entry } from '../task/entries.ts';
import { liveEntries, type Reducer } from '../task/journal.ts';
import type { Memory } from '../task/memory.ts';
import { blobLoader } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';

/** The task cannot resume from the end of its journal, or its files are beyond it: it can from `cut`. */
export class LostPart extends CorruptError {
  readonly cut: Cut;
  /** Notes for the user. */
  readonly notes: readonly string[];
  /** What came after it may have changed files, and their state before that is not known. */
  readonly unknown: boolean;

  constructor(task: string, message: string, cut: Cut, notes: readonly string[], unknown = false) {
    super(message, {
      data: { task, entry: cut.seq + 1 },
      hint: phrase`Resume it: vibe-engine resume ${task}. It resumes from before that.`,
    });
    this.cut = cut;
    this.notes = notes;
    this.unknown = unknown;
  }
}

function lostResult(task: string, blob: string, what: string, cut: Cut): LostPart {
  const message = phrase`${what} of task ${task} is lost: the blob ${blob} is missing or damaged.`;
  return new LostPart(task, message, cut, [
    phrase`${what} is lost (blob ${blob}), so the task resumes from before it. What came after is kept in the journal.`,
  ]);
}

/** The damaged end of a journal is gone, but its changes to files may remain: they are undone first. */
export function lostEnd({ task_id }: Head): { readonly take: Reducer; found(): LostPart | null } {
  let before: Cut = { task: task_id, seq: 0 };
  let cut: Cut | null = null;
  let notes: string[] = [];
  let captured = false;
  let unknown = false;
  return {
    take({ task, seq, entry }) {
      if (entry.t === 'recovery') {
        cut = entry.mended ? (cut ?? before) : null;
        unknown = cut !== null && (unknown || !(captured || entry.mended?.snapshot));
        notes = cut ? [...notes, ...entry.notes] : [];
      }
      captured ||= 'snapshot' in entry && entry.snapshot !== undefined;
      before = { task, seq };
    },
    found: () => cut && new LostPart(task_id, endIsLost(task_id).message, cut, notes, unknown),
  };
}

/** For a journal that ends before entries that are known to exist; the repair of the task notes that. */
export function endIsLost(task: string): CorruptError {
  return new CorruptError(phrase`The end of the journal of task ${task} is lost.`, {
    data: { task },
    hint: phrase`Resume it: vibe-engine resume ${task}. It resumes from before that.`,
  });
}

/** Throws if the task needs a lost blob; returns the lost ones that are not needed to resume. */
export async function assertWhole(
  services: Pick<Services, 'storage' | 'config'>,
  head: Head,
  { blobs }: Pick<Memory, 'blobs'>,
): Promise<string[]> {
  const load = blobLoader(services.storage, head);
  const [input] = await lostOf(blobIdsIn(head.input), load);
  if (input !== undefined) throw lostInput(head, input);
  const lost = new Set(await lostOf(blobs, load));
  if (lost.size === 0) return [];
  const first = await firstNeeding(services, head, lost);
  if (first) throw first;
  return [...lost];
}

async function lostOf(ids: Iterable<string>, load: LoadBlob): Promise<string[]> {
  const lost: string[] = [];
  for (const id of ids) if (!(await isThere(id, load))) lost.push(id);
  return lost;
}

async function isThere(id: string, load: LoadBlob): Promise<boolean> {
  try {
    return (await load(id)) !== null;
  } catch (error) {
    if (error instanceof CorruptError) return false;
    throw error;
  }
}

/**
 * What a resumed run reads, and the part of the conversation that it gets. What was trimmed or is only shown may be lost.
 */
async function firstNeeding(
  services: Pick<Services, 'storage' | 'config'>,
  head: Head,
  lost: ReadonlySet<string>,
): Promise<LostPart | null> {
  const handed = await handedOn(services, head);
  let before: Cut = { task: head.lineage[0]?.task ?? head.task_id, seq: 0 };
  for await (const { task, seq, entry } of liveEntries(services.storage, head)) {
    const isHanded = handed.has(`${task}/${seq}`);
    for (const value of [...replayed(entry), ...(isHanded ? said(entry) : [])]) {
      const id = looksLikeReference(value) ? blobIdsIn(value).find((blob) => lost.has(blob)) : undefined;
      if (id !== undefined) return lostResult(head.task_id, id, nameOf(entry), before);
    }
    before = { task, seq };
  }
  return null;
}

/** The entries whose text is in the context of a resumed run. */
async function handedOn(
  { storage, config }: Pick<Services, 'storage' | 'config'>,
  head: Head,
): Promise<ReadonlySet<string>> {
  const places = new Map<unknown, string>();
  const items = contextItems(storage, head, { places });
  const trimmer = createTrimmer(config.checkpoints);
  for await (const item of items) await trimmer.add(item);
  const { messages, tool_outputs } = await trimmer.finish();
  return new Set([...messages, ...tool_outputs].flatMap((value) => places.get(value) ?? []));
}

function replayed(entry: Entry): readonly unknown[] {
  switch (entry.t) {
    case 'step':
    case 'result':
    case 'agent':
      return [entry.result];
    case 'answer':
    case 'set':
      return [entry.value];
    default:
      return [];
  }
}

function said(entry: Entry): readonly unknown[] {
  switch (entry.t) {
    case 'message':
      return [entry.content];
    case 'tool':
      return [entry.input, entry.output];
    case 'step':
    case 'failure':
      return [entry.tool?.input];
    default:
      return [];
  }
}

function nameOf(entry: Entry): string {
  switch (entry.t) {
    case 'step':
    case 'failure':
      return phrase`The result of step ${entry.name}`;
    case 'agent':
      return phrase`The result of agent ${entry.name}`;
    case 'answer':
      return phrase`The answer to a question`;
    case 'set':
      return phrase`The value of ${entry.name}`;
    default:
      return phrase`A part of the conversation`;
  }
}

function lostInput({ task_id: task, task_name }: Head, blob: string): CorruptError {
  return new CorruptError(
    phrase`The input of task "${task_name}" (${task}) is lost: the blob ${blob} is missing or damaged.`,
    {
      data: { task, blob },
      hint: phrase`It cannot be resumed without it. Restore the store from a backup, or start the task again.`,
    },
  );
}
