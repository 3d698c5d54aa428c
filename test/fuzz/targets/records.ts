/** The records of tasks and around them, as they are opened. */
import { openCheckpoint, sealCheckpoint } from '../../../src/checkpoint/record/record.ts';
import { readCheckpoint, unpackCheckpoint } from '../../../src/checkpoint/values/stored.ts';
import { parseCleaned, parseRuns } from '../../../src/engine/task/records/cleaned.ts';
import { parseShare } from '../../../src/engine/task/records/forks.ts';
import { openHead } from '../../../src/engine/task/records/head.ts';
import { parseMessage } from '../../../src/engine/task/records/inbox.ts';
import { parseQueueRecord } from '../../../src/engine/task/records/queue.ts';
import { openUnfinishedRebase } from '../../../src/engine/task/records/rebase-in-progress.ts';
import { openUnfinished } from '../../../src/engine/task/records/rollback-in-progress.ts';
import { parseRolledBack } from '../../../src/engine/task/records/rolled-back.ts';
import { openTracker } from '../../../src/engine/task/records/versions.ts';
import { decode, encode } from '../../../src/storage/serialize.ts';
import { openState, sealState, type TaskState } from '../../../src/task/state.ts';
import { openBoard, take, type Wanted } from '../../../src/workspace/reservations/board.ts';
import { parseLockFile } from '../../../src/workspace/reservations/lock-files.ts';
import { checkpoint } from '../../checkpoint/samples.ts';
import { type Target, textSeeds } from '../target.ts';

const AT = '2026-11-15T00:00:00.000Z';
const TASK = 'task-1';
const COMMIT = 'c'.repeat(40);

/** A record as the store has it: the values, and what opens what is decoded. */
function record(
  name: string,
  values: readonly unknown[],
  open: (stored: unknown) => unknown,
  seal?: (value: never) => unknown,
): Target {
  return {
    name,
    seeds: textSeeds(...values.map(encode)),
    ...(seal && {
      sealed: (bytes: Buffer) => Buffer.from(encode(seal(decode(bytes.toString('utf8')) as never))),
    }),
    read: (bytes) => open(decode(bytes.toString('utf8'))),
  };
}

export const HEAD = {
  version: '1.0',
  ...{ task_id: TASK, task_name: 'review', created_at: AT, working_dir: '/work', told_where: true },
  definition: { name: 'review', fingerprint: 'f'.repeat(16) },
  input: { $blob: `blob://inputs/${'a'.repeat(64)}`, bytes: 20_000, encoding: 'json' },
  origin: { path: '/work/task.ts', name: 'review' },
  lineage: [{ task: 'task-0', to: 7, hash: 'b'.repeat(64), dead: [[2, 3]], checkpoint: 'ckpt-task-0-2' }],
  dead: [[4, 5]],
  undone: [{ key: `${TASK}/undone/000000006`, from: 4, to: 5, at: AT }],
  ...{ last_checkpoint: 3, retries: 1 },
};

const base = { version: '1.0', task_id: TASK, task_name: 'review', created_at: AT, updated_at: AT };
const running = {
  ...{ current_agent: 'writer', current_step: 'fetch', iteration_count: 2 },
  ...{ started_at: AT, last_activity_at: AT, accumulated_context: { entries: 3 } },
};
const queued = {
  ...{ task_id: TASK, created_at: AT, priority: 'high', estimated_complexity: null },
  input_request: 'do it',
};
export const STATES = [
  { ...base, status: 'queued', data: queued },
  { ...base, status: 'in_progress', data: running },
  {
    ...{ ...base, status: 'paused' },
    data: { paused_at: AT, pause_reason: 'lunch', resume_instructions: null, snapshot: running },
  },
  {
    ...{ ...base, status: 'failed' },
    data: {
      ...{ failed_at: AT, error_type: 'Error', error_message: 'no', stack_trace: null },
      ...{ recoverable: true, retry_count: 0 },
    },
  },
] as readonly TaskState[];

const UNDONE = {
  ...{ version: '1.0', at: AT, checkpoint: 'ckpt-task-1-1', rollback: 6, last: 6, dead: [[1, 2]] },
  ...{ lineage: [[[2, 3]]], state: sealState(STATES[1]!, encode), added: null, files: null },
  checkpoints: [{ key: `${TASK}/checkpoints/2026-11-15T00-00-00.000Z-000002`, data: checkpoint() }],
};

const MESSAGE = {
  ...{ id: 'm1', kind: 'answer', wait: 'w#1', value: { name: 'Ada' }, reason: null },
  ...{ instructions: null, by: 'ada', at: AT },
};

const event = {
  ...{ detected_at: AT, type: 'upstream_change', resolution: 'pending', resolved_at: null },
  details: { commits_behind: 2, conflicting_files: ['a.txt'], old_head: COMMIT, severity: 'low' },
};
const TRACKER = {
  ...{ version: '1.0', task_id: TASK, started_at_commit: COMMIT, current_head: COMMIT, upstream_head: null },
  ...{ drift_events: [event], branch: 'main', commits_behind: 2, checked_at: AT, unknown: null },
  upstream: { remote: 'origin', remote_ref: 'refs/heads/main', ref: 'r', name: 'origin/main', by: 'branch' },
  ...{ others: ['b.txt'], assessed: null },
};

const UNFINISHED = {
  ...{ version: '1.0', checkpoint: null, only: 'files', before: `snapshot/${'a'.repeat(64)}` },
  ...{ on_modified: 'merge', on_deleted: 'skip', answers: { 'modified a.txt': 'merge' } },
};

const REBASE = {
  ...{ version: '1.0', branch: 'main', old_head: COMMIT, new_head: COMMIT, backup_ref: 'refs/x' },
  ...{ work: COMMIT, carried: COMMIT, index: COMMIT, new_index: COMMIT, writing: 'w' },
};

const reservation = {
  ...{ id: 'r1', owner: 'task/agent', operation: 'write', acquired_at: AT, expires_at: AT, fence: 3 },
  paths: ['src/{a,b}/**/*.ts', 'docs'],
};

const wanted: Wanted = { id: 'r2', owner: 'other', operation: 'write', paths: ['src/a/x.ts', '**/*.md'] };
const noBlob = async (): Promise<null> => null;
const withoutChecksum = ({ checksum: _, ...rest }: Record<string, unknown>): never => rest as never;

export const RECORDS: readonly Target[] = [
  record('head', [HEAD], (stored) => openHead(TASK, stored)),
  record(
    'state',
    STATES.map((state) => sealState(state, encode)),
    (stored) => openState(stored, encode),
    (value) => sealState(withoutChecksum(value), encode),
  ),
  record(
    'checkpoint',
    [checkpoint(), checkpoint({ metadata: { a: 1 }, step_variables: { b: [2] }, error: { name: 'Error' } })],
    async (stored) => {
      openCheckpoint(stored);
      return unpackCheckpoint(await readCheckpoint(stored, noBlob), noBlob);
    },
    (value) => sealCheckpoint(withoutChecksum(value)),
  ),
  record(
    'undone',
    [UNDONE],
    (stored) => parseRolledBack(stored),
    (value: Record<string, unknown>) => ({
      ...value,
      state: sealState(withoutChecksum(value.state as Record<string, unknown>), encode),
    }),
  ),
  record('cleaned', [{ version: '1.0', emptied_at: AT, bytes: 7, cut: [[1, 2]] }], parseCleaned),
  record(
    'clean-up',
    [{ version: '1.0', last_run_at: AT, last_quick_at: null, missed: true, pending_file_bytes: 0 }],
    parseRuns,
  ),
  record('inbox', [MESSAGE], (stored) => parseMessage('m1', stored)),
  record('queue', [{ takeovers: 2 }], parseQueueRecord),
  record('fork', [{ task: 'task-0', child: TASK, to: 7, dead: [[1, 2]], at: AT }], parseShare),
  record('drift', [TRACKER], (stored) => openTracker(TASK, stored)),
  record('going back', [UNFINISHED], (stored) => openUnfinished(TASK, stored)),
  record('rebasing', [REBASE], (stored) => openUnfinishedRebase(TASK, stored)),
  record('reservations', [{ fence: 3, held: [reservation] }], (stored) =>
    take(openBoard('w', stored), wanted, new Date(AT), 300_000),
  ),
  {
    name: 'lock file',
    seeds: textSeeds(JSON.stringify({ ...reservation, paths: undefined, path: 'a.txt' }, null, 2)),
    read: parseLockFile,
  },
];
