/** Ids of tasks and checkpoints, and keys of records that are needed below the engine. */

/** Of ids that `newTaskId` made; users may choose others. */
export const TASK_ID_PATTERN: RegExp = /^t[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export function stateKey(task: string): string {
  return `${task}/state`;
}

/** The only record of a task whose creation was not finished. */
export function creatingKey(task: string): string {
  return `${task}/creating`;
}

/** What the keys of a task's checkpoints start with. */
export function checkpointsPrefix(task: string): string {
  return `${task}/checkpoints/`;
}

/** Names sort as the checkpoints were made, and the number can be read off the name. */
export function checkpointKey(task: string, created_at: string, sequence: number): string {
  return `${timestampKey(task, created_at)}-${String(sequence).padStart(6, '0')}`;
}

/** The same without the number. */
export function timestampKey(task: string, created_at: string): string {
  return `${checkpointsPrefix(task)}${created_at.replaceAll(':', '-')}`;
}

/** The sequence number in a record's key, or null if it is not a checkpoint's. */
export function sequenceOfKey(key: string): number | null {
  const match = /\/checkpoints\/[^/]*Z-(\d+)$/.exec(key);
  return match && Number(match[1]);
}

export function checkpointId(task: string, sequence: number): string {
  return `ckpt-${task}-${sequence}`;
}

/** The task and number in a checkpoint's id, or null. */
export function parseCheckpointId(id: string): { task: string; sequence: number } | null {
  const match = /^ckpt-([A-Za-z0-9][A-Za-z0-9_-]{0,99})-(\d{1,15})$/.exec(id);
  return match && { task: match[1]!, sequence: Number(match[2]) };
}

/** The name of a conversation that is saved while it continues, by its id or that of its task. */
export function autoSaveId(id: string): string {
  return `conv-auto-save-${id}`;
}
