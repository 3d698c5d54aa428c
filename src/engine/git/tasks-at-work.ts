/** Tasks that a rebase would disturb. */
import type { Git } from '../../drift/git.ts';
import { findRepository } from '../../drift/place.ts';
import type { Storage } from '../../storage/contract.ts';
import { loadHead } from '../task/records/head.ts';
import { listTasks } from '../task/tasks.ts';

/** Other tasks that run in the same worktree just now. */
export async function tasksAtWork(storage: Storage, git: Git, own: string): Promise<string[]> {
  const query = { status: 'in_progress', limit: Number.MAX_SAFE_INTEGER } as const;
  const found: string[] = [];
  for (const { task_id } of await listTasks(storage, query, async () => false)) {
    if (task_id === own || (await storage.owner(task_id)) === null) continue;
    const head = await loadHead(storage, task_id);
    if (head && findRepository(head.working_dir)?.toplevel === git.place.toplevel) found.push(task_id);
  }
  return found;
}
