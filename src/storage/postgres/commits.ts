/**
 * Commits: those that arrive while a batch is in progress go together in the next one. What owners append goes by a way of
 * its own, so that nothing that takes longer holds it up. The commits of a task are written in the order they arrive.
 */
import { InvalidInputError, StoreError, type VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { Receipt } from '../contract.ts';
import { type Append, findWritten, isAppend, sendAppends } from './appends.ts';
import type { Blobs } from './blobs.ts';
import { batchFor, type Claimed, receiptsOf } from './commit-calls.ts';
import type { Connection } from './connection.ts';
import type { Lane } from './lane.ts';

interface Committer {
  commit(prepared: Claimed): Promise<Receipt>;
  /** Resolves when all commits so far have settled. */
  idle(): Promise<void>;
}

interface Job {
  readonly prepared: Claimed;
  readonly size: number;
  readonly isAppend: boolean;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const MOST_COMMITS = 128;
const MOST_CHARACTERS = 8_000_000;
/** A message to the server has less than a gigabyte, and a character may take three bytes. */
const LARGEST_COMMIT = 256 * 1024 * 1024;

/** Sends one batch at a time. Several at once gain nothing: fewer share a transaction. */
interface Way {
  isFree: boolean;
  take(waiting: Job[], busy: ReadonlySet<string | null>): Job[];
  send(commits: readonly Claimed[]): Promise<readonly (Receipt | VibeError)[]>;
}

export function openCommitter(
  connection: Connection,
  lane: Lane,
  { putBlobs }: Pick<Blobs, 'putBlobs'>,
): Committer {
  const waiting: Job[] = [];
  /** Tasks with a commit in progress. */
  const busy = new Set<string | null>();
  const inProgress = new Set<Promise<void>>();
  const line = connection.line();
  const ways: readonly Way[] = [
    { isFree: true, take: takeAppends, send: (commits) => append(commits as readonly Append[]) },
    { isFree: true, take: takeOthers, send: commit },
  ];

  function start(): void {
    for (const way of ways) {
      const jobs = way.isFree && waiting.length > 0 ? way.take(waiting, busy) : [];
      if (jobs.length > 0) inProgress.add(run(way, jobs));
    }
  }

  function run(way: Way, jobs: readonly Job[]): Promise<void> {
    way.isFree = false;
    for (const { prepared } of jobs) busy.add(prepared.task);
    // A caller that commits again right after its answer belongs to the next batch.
    const answered = settle(jobs, way.send).then(() => new Promise(process.nextTick));
    const batch = answered.then(() => {
      way.isFree = true;
      for (const { prepared } of jobs) busy.delete(prepared.task);
      inProgress.delete(batch);
      start();
    });
    return batch;
  }

  async function commit(commits: readonly Claimed[]): Promise<(Receipt | VibeError)[]> {
    const blobs = commits.flatMap((commit) => commit.blobs ?? []);
    if (blobs.length > 0) await putBlobs(null, blobs);
    return receiptsOf(commits, await lane.send(batchFor(commits)));
  }

  async function append(commits: readonly Append[]): Promise<(Receipt | VibeError)[]> {
    const { written, isUncertain } = await sendAppends(connection, line, commits);
    if (written.size === commits.length) return commits.map((commit) => written.get(commit)!);
    const refused = commits.filter((commit) => !written.has(commit));
    const answers = await commit(refused);
    // A copy that was still on its way may have been written since.
    const late = isUncertain ? await connection.patiently(() => findWritten(line, refused)) : written;
    return commits.map(
      (commit) => written.get(commit) ?? late.get(commit) ?? answers[refused.indexOf(commit)]!,
    );
  }

  return {
    commit: (prepared) =>
      new Promise((resolve, reject) => {
        const size = sizeOf(prepared);
        if (size > LARGEST_COMMIT) throw tooLarge(size);
        waiting.push({ prepared, size, isAppend: isAppend(prepared), resolve, reject });
        start();
      }),
    idle: async () => {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

/** Sends them together; if the server fails at one of them, sending each alone shows which. */
async function settle(jobs: readonly Job[], send: Way['send']): Promise<void> {
  try {
    const answers = await send(jobs.map(({ prepared }) => prepared));
    jobs.forEach((job, i) => {
      const answer = answers[i]!;
      if (answer instanceof Error) job.reject(answer);
      else job.resolve(answer);
    });
  } catch (error) {
    if (jobs.length > 1 && !(error instanceof StoreError)) {
      for (const job of jobs) await settle([job], send);
    } else {
      for (const job of jobs) job.reject(error);
    }
  }
}

/** The next append of each task that has nothing in progress, and nothing that waits before it. */
function takeAppends(waiting: Job[], busy: ReadonlySet<string | null>): Job[] {
  const passed = new Set(busy);
  return take(waiting, ({ prepared: { task }, isAppend }) => {
    const isNext = !passed.has(task);
    passed.add(task);
    return isAppend && isNext;
  });
}

/** Everything else, with appends that wait behind it. */
function takeOthers(waiting: Job[], busy: ReadonlySet<string | null>): Job[] {
  const passed = new Set(busy);
  const taken = new Set<string | null>();
  return take(waiting, ({ prepared: { task }, isAppend }) => {
    if (passed.has(task)) return false;
    const isTaken = !isAppend || taken.has(task);
    (isTaken ? taken : passed).add(task);
    return isTaken;
  });
}

/**
 * Takes what is wanted, in order of arrival, up to the size of a batch; sorted by task, which keeps the order within a task
 * (see sql/commit.ts).
 */
function take(waiting: Job[], isWanted: (job: Job) => boolean): Job[] {
  const taken: Job[] = [];
  const left: Job[] = [];
  let size = 0;
  let isFull = false;
  for (const job of waiting) {
    if (isFull || !isWanted(job)) {
      left.push(job);
      continue;
    }
    size += job.size;
    isFull = taken.length > 0 && (taken.length === MOST_COMMITS || size > MOST_CHARACTERS);
    (isFull ? left : taken).push(job);
  }
  waiting.splice(0, waiting.length, ...left);
  const task = (job: Job) => job.prepared.task ?? '';
  return taken.sort((a, b) => (task(a) < task(b) ? -1 : task(a) > task(b) ? 1 : 0));
}

function sizeOf({ records, append }: Claimed): number {
  const recordSize = records.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  return (append?.entries ?? []).reduce((sum, { text }) => sum + text.length, recordSize);
}

function tooLarge(size: number): InvalidInputError {
  return new InvalidInputError(
    'INVALID_COMMIT',
    phrase`A commit of ${size} characters is too large for PostgreSQL.`,
    {
      data: { size, limit: LARGEST_COMMIT },
      hint: phrase`Put large values into blobs, or make several commits of it.`,
    },
  );
}
