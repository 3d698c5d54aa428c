/** The uncommitted changes of the worktree, as a commit on top of HEAD that only exists in quarantine. */

import { DriftError } from '../errors.ts';
import { phrase } from '../phrase.ts';
import type { GitOptions, GitOutput } from '../system/git/answer.ts';
import { complaintOf, type Git } from './git.ts';
import { lstatInside } from './lstat-inside.ts';
import type { Quarantine } from './quarantine.ts';

interface Work {
  /** The whole worktree, without ignored files. */
  readonly tree: string;
  readonly commit: string;
}

/** The quarantine's index becomes that of the whole worktree. */
export async function captureWork(
  { git }: Quarantine,
  head: string,
  { stand_in_over = Number.POSITIVE_INFINITY }: { readonly stand_in_over?: number } = {},
): Promise<Work> {
  await requireOutput(git, ['add', '--sparse', '--update', '--', '.']);
  const others = untracked(await requireOutput(git, ['ls-files', '-z', '--others', '--exclude-standard']));
  const isLarge = (name: string) =>
    (lstatInside(git.place.toplevel, decoded(name))?.size ?? 0) > stand_in_over;
  const [large, small] = [others.filter(isLarge), others.filter((name) => !isLarge(name))];
  if (small.length > 0)
    await requireOutput(git, ['update-index', '-z', '--add', '--replace', '--stdin'], {
      input: bytesOf(small),
    });
  if (large.length > 0) await addStandIns(git, large);
  const tree = (await requireOutput(git, ['write-tree'])).toString().trim();
  return { tree, commit: await commitTree(git, tree, head) };
}

/** Large files that are not tracked are not copied: only their existence matters. */
async function addStandIns(git: Git, names: readonly string[]): Promise<void> {
  const content = Buffer.from('In place of a large file that is not tracked.\n');
  const object = (await requireOutput(git, ['hash-object', '-w', '--stdin'], { input: content }))
    .toString()
    .trim();
  const input = bytesOf(names.map((name) => `100644 ${object}\t${name}`));
  await requireOutput(git, ['update-index', '-z', '--replace', '--index-info'], { input });
}

/** Names are bytes: one character each. A repository inside is listed as a directory; git takes no files from it. */
function untracked(listing: GitOutput): string[] {
  return listing
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '' && !name.endsWith('/'));
}

function bytesOf(fields: readonly string[]): Buffer {
  return Buffer.from(fields.map((field) => `${field}\0`).join(''), 'latin1');
}

function decoded(name: string): string {
  return Buffer.from(name, 'latin1').toString();
}

export async function commitTree(git: Git, tree: string, ...parents: string[]): Promise<string> {
  const args = ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-m', 'work', tree];
  return (await requireOutput(git, args)).toString().trim();
}

/** What git prints; DRIFT_UNKNOWN when it fails. */
export async function requireOutput(
  git: Git,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  const answer = await git.run(args, options);
  if (answer.code === 0) return answer.output;
  const command = args.find((part, index) => !part.startsWith('-') && args[index - 1] !== '-c')!;
  throw new DriftError('DRIFT_UNKNOWN', phrase`git ${command} failed: ${complaintOf(answer)}.`, {
    data: { command, complaint: complaintOf(answer), repository: git.place.toplevel },
    hint: phrase`See what git says in the repository itself. Nothing was changed.`,
  });
}
