/** What is wrong with something stored, and whether it can be mended without losing anything. */
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
 * `journal`: what is damaged is put aside, and the task goes on from the last entry before it. `state`: it is made again
 * from the journal. `checkpoint`: it is put
 * aside; recovery passes it over anyway. `fork`, `queue`: a note that is missing is written from what the task says. `view`: a
 * readable file is written again from the journal. `store`: the file that says that a directory is a store is made again.
 */
export type Mend = 'journal' | 'state' | 'checkpoint' | 'fork' | 'queue' | 'view' | 'store';

/** How much was looked at. */
export interface Examined {
  tasks: number;
  entries: number;
  checkpoints: number;
  blobs: number;
  snapshots: number;
  files: number;
}
