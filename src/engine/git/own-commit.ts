/** The commit of a task's own files. */
import { type Committed, commitFiles, findCommit } from '../../drift/commit.ts';
import { DriftError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import type { StepContext } from '../api/context.ts';
import { type DriftServices, repositoryOf } from './looking.ts';

export interface TaskCommit {
  readonly message: string;
  readonly checkpoint: string;
  readonly step: Pick<StepContext, 'id' | 'unknown' | 'signal'>;
  readonly timeout_ms: number | undefined;
}

export async function commitFor(
  services: DriftServices,
  task: string,
  { message, checkpoint, step, timeout_ms }: TaskCommit,
): Promise<Committed | null> {
  const git = repositoryOf(services);
  if (!git) throw noRepository(services.workspace.root);
  const { unknown, signal } = step;
  const [own_task, own_step] = [`Vibe-Engine-Task: ${task}`, `Vibe-Engine-Step: ${step.id}`];
  const leftInIndex = (left: readonly string[]) =>
    services.notify([
      phrase`The commit was made, but another git process kept the index locked, so the index still has the old versions staged: ${left.join(', ')}.`,
      phrase`When it has ended, run git reset for these files: committing the index as it is would revert the commit.`,
    ]);
  const madeBefore = async (): Promise<Committed | null> =>
    unknown && findCommit(git, { trailers: [own_task, own_step], since: unknown.began_at, leftInIndex });
  const made = await madeBefore();
  if (made) return made;
  const own = await services.workspace.filesModified(task);
  const files = own.map((path) => git.place.prefix + path);
  const trailers = [own_task, own_step, `Vibe-Engine-Checkpoint: ${checkpoint}`];
  // Git may outlive the process that started it: an interrupted commit may be in progress.
  try {
    const wanted = { files, message, trailers, signal, timeout_ms, leftInIndex };
    return (await commitFiles(git, wanted)) ?? (await madeBefore());
  } catch (error) {
    const meanwhile = await madeBefore();
    if (meanwhile) return meanwhile;
    throw error;
  }
}

function noRepository(root: string): DriftError {
  return new DriftError('COMMIT_REFUSED', phrase`Nothing was committed: ${root} is in no git repository.`, {
    data: { complaint: 'no repository', root },
    hint: phrase`Run git init there, or let the task commit nothing.`,
  });
}
