/** The commit of a task's own files. */
import { type Committed, commitFiles, findCommit } from '../../drift/commit.ts';
import { DriftError } from '../../errors.ts';
import type { StepContext } from '../context.ts';
import { type DriftHost, repositoryOf } from './looking.ts';

export interface TaskCommit {
  readonly message: string;
  readonly checkpoint: string;
  readonly step: Pick<StepContext, 'unknown' | 'signal'>;
  readonly timeout_ms: number | undefined;
}

export async function commitFor(
  host: DriftHost,
  task: string,
  { message, checkpoint, step, timeout_ms }: TaskCommit,
): Promise<Committed | null> {
  const git = repositoryOf(host);
  if (!git) throw noRepository(host.root);
  const trailer = `Vibe-Engine-Task: ${task}`;
  const { unknown, signal } = step;
  const made = unknown && (await findCommit(git, { message, trailer, since: unknown.began_at }));
  if (made) return made;
  const own = await host.workspace.filesModified(task);
  const files = own.map((path) => git.place.prefix + path);
  const trailers = [trailer, `Vibe-Engine-Checkpoint: ${checkpoint}`];
  return commitFiles(git, { files, message, trailers, signal, timeout_ms });
}

function noRepository(root: string): DriftError {
  return new DriftError('COMMIT_REFUSED', `Nothing was committed: ${root} is in no git repository.`, {
    data: { complaint: 'no repository', root },
    hint: 'Run git init there, or do without task.commit.',
  });
}
