/** How a task stands, in one of few words: what its shape and colour say, and where it stands in the list. Pure. */
import type { TaskRow } from '../shapes/types.ts';

export type DisplayStatus =
  | 'waiting'
  | 'running'
  | 'interrupted'
  | 'failed'
  | 'paused'
  | 'idle'
  | 'queued'
  | 'done'
  | 'cancelled';

type Known = Pick<TaskRow, 'status'> &
  Partial<Pick<TaskRow, 'idle' | 'holder' | 'questions' | 'waits' | 'interrupted'>>;

export function displayStatus(row: Known): DisplayStatus {
  if ((row.questions ?? 0) > 0 || (row.waits?.length ?? 0) > 0) return 'waiting';
  switch (row.status) {
    case 'in_progress':
      if (row.idle) return 'idle';
      return row.interrupted || row.holder === null ? 'interrupted' : 'running';
    case 'completed':
      return 'done';
    default:
      return row.status;
  }
}

/** Sections of the list, in their order. */
export type Section = 'needs' | 'broken' | 'running' | 'not_running' | 'done';
export const SECTIONS: readonly Section[] = ['needs', 'broken', 'running', 'not_running', 'done'];

const SECTION: Readonly<Record<DisplayStatus, Section>> = {
  waiting: 'needs',
  interrupted: 'broken',
  failed: 'broken',
  running: 'running',
  paused: 'not_running',
  idle: 'not_running',
  queued: 'not_running',
  done: 'done',
  cancelled: 'done',
};

export const sectionOf = (row: Known): Section => SECTION[displayStatus(row)];
