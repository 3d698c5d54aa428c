/** Where the conversation of an agent that runs elsewhere ends, as the live journal tells it. */

import { unpackValue } from '../../checkpoint/values/pack.ts';
import type { Storage } from '../../storage/contract.ts';
import { isObject } from '../../system/json.ts';
import { type Cut, isAfter } from '../task/cut.ts';
import type { Entry } from '../task/entries.ts';
import { foldJournal, type LiveEntry, type Reducer } from '../task/journal.ts';
import { blobLoader } from '../task/packing.ts';
import type { Head } from '../task/records/head.ts';

/** A place in an agent's conversation, by its own ids. */
export type ConversationPoint =
  /** Before all that was said. */
  | { readonly before: 'everything' }
  /** Before that prompt. */
  | { readonly before: 'prompt'; readonly ref: string }
  /** Before that call, and before what was said with it where it was the first of its message. */
  | { readonly before: 'call'; readonly id: string }
  /** After the result of that call. */
  | { readonly after: 'call'; readonly id: string }
  /** After that prompt, before its answer. */
  | { readonly after: 'prompt'; readonly ref: string }
  /** After that message of the assistant, and after the result of the call, whichever comes later. */
  | { readonly after: 'message'; readonly ref: string; readonly call?: string };

export interface ConversationEnd {
  /** What the agent's own program said of its session; null before the first event. */
  readonly session: Readonly<Record<string, unknown>> | null;
  /** Where the conversation has to end; null where it continues as it is. */
  readonly cut: {
    readonly place: ConversationPoint;
    /** The entry of the rollback. */
    readonly rollback: number;
  } | null;
}

export async function conversationEnd(storage: Storage, head: Head): Promise<ConversationEnd> {
  const follow = followConversation(head);
  await foldJournal(storage, head, [follow.take]);
  const { session, cut } = follow.end();
  const value = session === undefined ? null : await unpackValue(session, blobLoader(storage, head));
  return { session: isObject(value) ? value : null, cut };
}

/** Where it would end if everything after the cut went. */
export async function conversationAt(storage: Storage, head: Head, cut: Cut): Promise<ConversationEnd> {
  const follow = followConversation(head);
  let passed = false;
  const take: Reducer = (one) => {
    if (isAfter(head, cut, one)) passed = true;
    else follow.take(one);
  };
  await foldJournal(storage, head, [take]);
  const { session, cut: already, place } = follow.end();
  const value = session === undefined ? null : await unpackValue(session, blobLoader(storage, head));
  const there = passed ? { place, rollback: 0 } : already;
  return { session: isObject(value) ? value : null, cut: there };
}

/** Packed. */
interface End {
  readonly session: unknown;
  readonly cut: ConversationEnd['cut'];
  /** Where its last words are. */
  readonly place: ConversationPoint;
}

function followConversation({ task_id }: Pick<Head, 'task_id'>): { take: Reducer; end(): End } {
  let session: unknown;
  let place: ConversationPoint = { before: 'everything' };
  /** Where the task itself began; in a fork that is a place of another session. */
  let beginning: { readonly place: ConversationPoint; readonly session?: unknown } = { place };
  let rollback: number | null = null;
  /** All of its changes were undone: the agent that made them starts from the beginning, while the journal stays. */
  let undone: number | null = null;
  /** The last call that ended, since its prompt. */
  let call: string | undefined;
  /** By the ids of their operations. */
  const begun = new Map<string, string>();

  const pointAt = (entry: Entry): ConversationPoint | undefined => {
    if (entry.mark?.by === 'before_turn') {
      const ref = entry.mark.metadata?.ref;
      return typeof ref === 'string' ? { before: 'prompt', ref } : undefined;
    }
    if (!('agent' in entry) || entry.agent !== '') return undefined; // Sub-agents have conversations of their own.
    switch (entry.t) {
      case 'message': {
        const { role, ref } = entry;
        if (ref === undefined) return undefined;
        if (role === 'user') return { after: 'prompt', ref };
        return { after: 'message', ref, ...(call === undefined ? {} : { call }) };
      }
      case 'begin': {
        const id = entry.tool?.call;
        if (id === undefined) return undefined;
        begun.set(entry.id, id);
        return { before: 'call', id };
      }
      case 'step':
      case 'failure':
      case 'skip': {
        const id = ('tool' in entry ? entry.tool?.call : undefined) ?? begun.get(entry.id);
        if (id === undefined) return undefined;
        call = id;
        return { after: 'call', id };
      }
      default:
        return undefined;
    }
  };

  return {
    take({ task, seq, entry }: LiveEntry) {
      if (entry.t === 'set' && entry.name === 'session') session = entry.value;
      if (entry.t === 'message' && entry.role === 'user') call = undefined;
      // If only files were restored to a checkpoint, the conversation stays. A fork begins where another task's conversation was.
      if ((entry.t === 'rollback' && !entry.files && task === task_id) || entry.t === 'fork') rollback = seq;
      if (entry.t === 'fork') beginning = { place, session };
      if (entry.t === 'rollback' && entry.files && entry.checkpoint === null && task === task_id)
        undone = seq;
      const next = pointAt(entry);
      if (!next) return;
      place = next;
      rollback = null;
      undone = null;
    },
    end() {
      if (undone !== null)
        return { session, ...beginning, cut: { place: beginning.place, rollback: undone } };
      return { session, cut: rollback === null ? null : { place, rollback }, place };
    },
  };
}
