/** Where in git the task works, and how far upstream has moved on since it was last looked at. */
import { say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import { taskAddress } from '../../lib/route.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import { behind } from '../../state/task.ts';

export function GitPosition({ row, shown }: { readonly row: TaskRow; readonly shown: Shown | null }) {
  const versions = shown?.history?.versions;
  if (!versions) return null;
  const { branch, current_head } = versions;
  const commits = behind.value?.task === row.id ? behind.value.commits : versions.commits_behind;
  const at = `${branch ?? 'HEAD'}@${current_head?.slice(0, 7) ?? '–'}`;
  return (
    <a class="git-place quiet" href={taskAddress(row.id, 'drift')}>
      <code>
        <Text of={at} />
      </code>
      {commits > 0 && <span class="behind">⚠ {say('page.behind', { count: commits })}</span>}
    </a>
  );
}
