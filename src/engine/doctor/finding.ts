/** What is wrong with something stored, and whether it can be repaired without losing anything. */
export interface StoreFinding {
  readonly code: string;
  /** A sentence. */
  readonly message: string;
  /** Null where it belongs to none. */
  readonly task: string | null;
  /** The file, row, record or blob. */
  readonly where: string;
  /** Null where nothing safe can be done: restore it from a backup. */
  readonly mend: Mend | null;
}

/**
 * `journal`: what is damaged is put aside, and the task continues from the last entry before it. `state`: it is rebuilt from
 * the journal. `checkpoint`: it is put aside; recovery skips it anyway. `fork`, `queue`: a missing record is written again
 * from the task. `view`: a readable file is written again from the journal. `store`: the file that describes the store is
 * created again.
 */
export type Mend = 'journal' | 'state' | 'checkpoint' | 'fork' | 'queue' | 'view' | 'store';

/** How much was checked. */
export interface Examined {
  tasks: number;
  entries: number;
  checkpoints: number;
  blobs: number;
  snapshots: number;
  files: number;
}
