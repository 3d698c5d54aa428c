/** What stands on the line of a task. */
export type MarkKind =
  | 'checkpoint'
  | 'turn'
  | 'wait'
  | 'answer'
  | 'kill'
  | 'recovery'
  | 'rollback'
  | 'redo'
  | 'take'
  | 'fork'
  | 'drift'
  | 'pause'
  | 'end';
