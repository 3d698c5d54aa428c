/** Conversations in the store: saved when asked, and auto-saved while they continue. */

import type { Storage } from '../storage/contract.ts';
import { configuredStorage } from '../storage/opening/configured.ts';
import { LONGEST_TIMER } from '../system/time-limit.ts';
import { autoSaveId } from '../task/keys.ts';

const CATEGORY = 'conversation';

export interface AutoSaveOptions {
  /** How far an auto-saved conversation may lag behind; default: 1000. */
  readonly auto_save_ms?: number | undefined;
}

export class ConversationPersistence {
  readonly #storage: Storage;
  readonly #delay: number;
  readonly #pending = new Map<string, Pending>();
  #failure: { error: unknown } | null = null;

  /** Default: the store that the settings name, opened at first use. */
  constructor(storage: Storage = configuredStorage(), options: AutoSaveOptions = {}) {
    this.#storage = storage;
    this.#delay = options.auto_save_ms ?? 1000;
  }

  /** Returns its location. */
  save(id: string, conversation: unknown): Promise<string> {
    return this.#storage.save(CATEGORY, id, conversation);
  }

  /** The conversation, or null. */
  load(id: string): Promise<unknown> {
    return this.#storage.load(CATEGORY, id);
  }

  /** `save` and `load` under more specific names. */
  saveConversation(id: string, conversation: unknown): Promise<string> {
    return this.save(id, conversation);
  }
  loadConversation(id: string): Promise<unknown> {
    return this.load(id);
  }

  /** All ids, auto-saved ones as `conv-auto-save-{id}`. */
  list(): Promise<string[]> {
    return this.#storage.list(CATEGORY);
  }

  /** Removes it and its auto-saved version; returns whether either existed. */
  async delete(id: string): Promise<boolean> {
    const pending = this.#pending.get(id);
    if (pending) {
      clearTimeout(pending.timer);
      this.#pending.delete(id);
      await pending.writing;
    }
    const saved = await this.#storage.delete(CATEGORY, id);
    const autoSaved = await this.#storage.delete(CATEGORY, autoSaveId(id));
    return saved || autoSaved;
  }

  /**
   * Schedules a save: the newest version is stored within the delay, and many calls make one write. A failed write is thrown
   * by the next call of this or of `flush`.
   */
  autoSave(id: string, conversation: unknown): void {
    const pending = this.#pending.get(id) ?? this.#begin(id);
    pending.latest = { conversation };
    pending.timer ??= setTimeout(() => this.#write(id, pending), Math.min(this.#delay, LONGEST_TIMER));
    this.#throwFailure();
  }

  loadAutoSaved(id: string): Promise<unknown> {
    return this.load(autoSaveId(id));
  }

  /** Stores everything that is scheduled, now. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) {
      await Promise.all([...this.#pending].map(([id, pending]) => this.#write(id, pending)));
    }
    this.#throwFailure();
  }

  /** Stores everything that is scheduled, and closes the store, even one that was passed in. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#storage.close();
    }
  }

  #begin(id: string): Pending {
    const pending: Pending = { latest: null, timer: undefined, writing: Promise.resolve() };
    this.#pending.set(id, pending);
    return pending;
  }

  /** One write at a time per conversation, so that an older version never lands on a newer one. */
  #write(id: string, pending: Pending): Promise<void> {
    clearTimeout(pending.timer);
    pending.timer = undefined;
    pending.writing = pending.writing.then(async () => {
      const { latest } = pending;
      pending.latest = null;
      try {
        if (latest) await this.#storage.save(CATEGORY, autoSaveId(id), latest.conversation);
      } catch (error) {
        this.#failure ??= { error };
      }
      if (!pending.latest && this.#pending.get(id) === pending) this.#pending.delete(id);
    });
    return pending.writing;
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }
}

interface Pending {
  /** The newest version that is not being written yet. */
  latest: { conversation: unknown } | null;
  timer: NodeJS.Timeout | undefined;
  writing: Promise<void>;
}
