/** What is in the worktree and not committed, as a commit on top of HEAD that exists in quarantine only. */
import { DriftError } from '../errors.ts';
import type { GitOptions, GitOutput } from '../system/git.ts';
import { complaintOf, type Git } from './git.ts';
import type { Quarantine } from './quarantine.ts';

export interface Work {
  /** The whole worktree, but for what is ignored. */
  readonly tree: string;
  readonly commit: string;
}

/** The quarantine's index becomes that of the whole worktree. */
export async function captureWork({ git }: Quarantine, head: string): Promise<Work> {
  await must(git, ['add', '--update', '--', '.']);
  const others = await must(git, ['ls-files', '-z', '--others', '--exclude-standard']);
  const input = withoutRepositories(others);
  if (input.length > 0) await must(git, ['update-index', '-z', '--add', '--stdin'], { input });
  const tree = (await must(git, ['write-tree'])).toString().trim();
  return { tree, commit: await commitTree(git, tree, head) };
}

export async function commitTree(git: Git, tree: string, ...parents: string[]): Promise<string> {
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-m', 'work', tree];
  return (await must(git, args)).toString().trim();
}

/** What git prints; DRIFT_UNKNOWN when it fails. */
export async function must(git: Git, args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
  const answer = await git.run(args, options);
  if (answer.code === 0) return answer.output;
  const command = args.find((part, index) => !part.startsWith('-') && args[index - 1] !== '-c')!;
  throw new DriftError('DRIFT_UNKNOWN', `git ${command} failed: ${complaintOf(answer)}.`, {
    data: { command, complaint: complaintOf(answer), repository: git.place.toplevel },
    hint: 'See what git says in the repository itself. Nothing was changed.',
  });
}

/** A repository inside the worktree is listed as a directory; git takes no files from it. Names are bytes. */
function withoutRepositories(listing: GitOutput): Buffer {
  const names = listing.toString('latin1').split('\0');
  return Buffer.from(
    names
      .filter((name) => name !== '' && !name.endsWith('/'))
      .map((name) => `${name}\0`)
      .join(''),
    'latin1',
  );
}
