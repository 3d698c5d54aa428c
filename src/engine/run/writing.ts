/** What is written of a running task, and how it is asked for. */
import type { CheckpointTrigger } from '../../checkpoint/record/record.ts';
import type { NewBlob, Position, RecordWrite } from '../../storage/contract.ts';
import type { Entry } from '../task/entries.ts';

/** A task's step or an agent's tool call. */
export interface Operation {
  readonly id: string;
  readonly name: string;
  readonly agent: string;
  readonly index: number;
  readonly attempt: number;
  readonly at: string;
}

export interface WriteOptions {
  readonly blobs?: readonly NewBlob[];
  /** What may make a checkpoint due; of several, the first counts where they are as important. */
  readonly event?: CheckpointTrigger | readonly CheckpointTrigger[];
  /** The caller that requested the checkpoint. */
  readonly asked?: AskedCheckpoint;
  /** Records that change together with the entry: the state, the head. */
  readonly records?: readonly RecordWrite[];
}

export interface AskedCheckpoint {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Its id; or why it is not made. */
  answer(made: { readonly id: string } | { readonly refused: unknown }): void;
}

/** One commit's worth, before it is made. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly events: readonly CheckpointTrigger[];
  readonly asked: readonly AskedCheckpoint[];
  readonly records: readonly RecordWrite[];
}

export interface Writer {
  /** Resolves when it is as durable as the task asks for: on the disk (`sync`), or taken (`async`, `exit`). */
  write(entry: Entry | null, options?: WriteOptions): Promise<void>;
  /** Resolves when everything taken so far is on the disk. */
  flush(): Promise<void>;
  position(): Position;
  /** Aborted when nothing more can be written: the claim is lost or the store failed. */
  readonly failed: AbortSignal;
}
