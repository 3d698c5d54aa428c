/** The progress of a long operation, as data for the caller to show. */
export interface OperationProgress {
  /** Several operations can be in progress at once, and one can have several phases. */
  readonly id: number;
  readonly doing: Doing;
  readonly done: number;
  /** Null if not known in advance. */
  readonly of: number | null;
  /** The last one of this operation. */
  readonly ended: boolean;
}

export const DOINGS = [
  'check_store',
  'check_tasks',
  'check_files',
  'survey',
  'remove',
  'free_files',
  'export_read',
  'export_write',
  'import_check',
  'import_store',
  'scan',
  'read_files',
  'fetch',
  'copy',
  'compare',
  'empty',
  'rotate',
] as const;
export type Doing = (typeof DOINGS)[number];

export type OnProgress = (progress: OperationProgress) => void;
/** How many parts are done, and of how many, where that is known. */
export type Done = (done: number, of?: number | null) => void;

export interface Tracking {
  at(doing: Doing, done?: number, of?: number | null): void;
  /** For the code of one phase, which need not know which one it is. */
  of(doing: Doing): Done;
  end(): void;
}

let last = 0;

/** Does nothing without a listener. */
export function trackProgress(on: OnProgress | undefined): Tracking {
  if (!on) return UNHEARD;
  const id = ++last;
  let now: OperationProgress | undefined;
  const at: Tracking['at'] = (doing, done = 0, of = null) => {
    now = { id, doing, done, of, ended: false };
    on(now);
  };
  return {
    at,
    of: (doing) => (done, of) => at(doing, done, of),
    end: () => {
      if (!now || now.ended) return;
      now = { ...now, ended: true };
      on(now);
    },
  };
}

const UNHEARD: Tracking = { at: () => {}, of: () => () => {}, end: () => {} };

/** For the time that it takes, however it ends. */
export async function tracked<T>(
  on: OnProgress | undefined,
  run: (tracking: Tracking) => Promise<T>,
): Promise<T> {
  const tracking = trackProgress(on);
  try {
    return await run(tracking);
  } finally {
    tracking.end();
  }
}
