/** A task as answers have it. */
export const TASK = {
  id: 'string',
  short: 'string',
  name: 'string',
  status: 'string',
  resumable: 'boolean',
  expired: 'boolean',
  timed_out: 'boolean',
  idle: 'boolean',
  client: 'string|null',
  session: 'string|null',
  holder: 'string|null',
  created_at: 'time',
  updated_at: 'time',
  detail: 'string|null',
  files_undone: 'any',
} as const;
