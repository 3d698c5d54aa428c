/**
 * One place for what a task stores: conversations, checkpoints, histories, config and state. It knows where each is stored,
 * and nothing else; any other category goes by its name.
 */
import type { ConfigInput } from '../config/types.ts';
import type { Storage } from '../storage/contract.ts';
import { configuredStorage } from '../storage/opening/configured.ts';
import { createStorageFromConfig, type StorageContext } from '../storage/opening/factory.ts';
import type { TaskState } from '../task/state.ts';
import {
  type CheckpointRecord,
  deleteCheckpoint,
  listCheckpoints,
  loadCheckpoint,
  saveCheckpoint,
  type TaskWrite,
} from './checkpoint-records.ts';
import { type AutoSaveOptions, ConversationPersistence } from './conversations.ts';
import { loadState, saveState } from './state-records.ts';

const HISTORY = 'history';
const CONFIG = 'config';

export class PersistenceManager {
  readonly storage: Storage;
  readonly conversations: ConversationPersistence;

  /** Default: the store that the settings name, opened at first use. */
  constructor(storage: Storage = configuredStorage(), options: AutoSaveOptions = {}) {
    this.storage = storage;
    this.conversations = new ConversationPersistence(storage, options);
  }

  /** Over the store that the settings name. */
  static async open(config?: ConfigInput, context?: StorageContext): Promise<PersistenceManager> {
    return new PersistenceManager(await createStorageFromConfig(config, context));
  }

  /** Returns its location. */
  save(category: string, key: string, data: unknown): Promise<string> {
    return this.storage.save(category, key, data);
  }
  /** The data, or null. */
  load(category: string, key: string): Promise<unknown> {
    return this.storage.load(category, key);
  }
  /** Returns whether it existed. */
  delete(category: string, key: string): Promise<boolean> {
    return this.storage.delete(category, key);
  }
  list(category: string): Promise<string[]> {
    return this.storage.list(category);
  }

  saveConversation(id: string, conversation: unknown): Promise<string> {
    return this.conversations.save(id, conversation);
  }
  loadConversation(id: string): Promise<unknown> {
    return this.conversations.load(id);
  }
  listConversations(): Promise<string[]> {
    return this.conversations.list();
  }
  deleteConversation(id: string): Promise<boolean> {
    return this.conversations.delete(id);
  }

  saveCheckpoint(checkpoint: CheckpointRecord, write?: TaskWrite): Promise<string> {
    return saveCheckpoint(this.storage, checkpoint, write);
  }
  loadCheckpoint(id: string): Promise<CheckpointRecord | null> {
    return loadCheckpoint(this.storage, id);
  }
  listCheckpoints(task_id: string): Promise<string[]> {
    return listCheckpoints(this.storage, task_id);
  }
  deleteCheckpoint(id: string, write?: TaskWrite): Promise<boolean> {
    return deleteCheckpoint(this.storage, id, write);
  }

  saveHistory(execution_id: string, history: unknown): Promise<string> {
    return this.storage.save(HISTORY, execution_id, history);
  }
  loadHistory(execution_id: string): Promise<unknown> {
    return this.storage.load(HISTORY, execution_id);
  }
  listHistories(): Promise<string[]> {
    return this.storage.list(HISTORY);
  }
  deleteHistory(execution_id: string): Promise<boolean> {
    return this.storage.delete(HISTORY, execution_id);
  }

  saveState(state: TaskState, write?: TaskWrite): Promise<string> {
    return saveState(this.storage, state, write);
  }
  loadState(task_id: string): Promise<TaskState | null> {
    return loadState(this.storage, task_id);
  }

  saveConfig(name: string, config: unknown): Promise<string> {
    return this.storage.save(CONFIG, name, config);
  }
  loadConfig(name: string): Promise<unknown> {
    return this.storage.load(CONFIG, name);
  }
  listConfigs(): Promise<string[]> {
    return this.storage.list(CONFIG);
  }
  deleteConfig(name: string): Promise<boolean> {
    return this.storage.delete(CONFIG, name);
  }

  /** Stores scheduled conversations, and brings readable views up to date. */
  async flush(): Promise<void> {
    await this.conversations.flush();
    await this.storage.flush();
  }

  /** Stores scheduled conversations, and closes the store even if that failed. */
  async close(): Promise<void> {
    try {
      await this.conversations.flush();
    } finally {
      await this.storage.close();
    }
  }
}

/** The store behind what a class is given, or the one that the settings name. */
export function storageOf(given?: Storage | PersistenceManager): Storage {
  return given instanceof PersistenceManager ? given.storage : (given ?? configuredStorage());
}
