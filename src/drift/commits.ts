/** What people want to know of commits. */
import type { GitOutput } from '../system/git/answer.ts';
import type { Git } from './git.ts';

export interface CommitNote {
  readonly id: string;
  readonly author: string;
  readonly at: string;
  readonly subject: string;
}

export interface CommitWithFiles extends CommitNote {
  readonly files: readonly string[];
}

/** Newest first; `range` as git writes it, `HEAD..origin/main`. */
export async function commitsIn(
  git: Git,
  range: readonly string[],
  most: number,
): Promise<CommitWithFiles[]> {
  const format = '--format=%x01%H%x1f%an%x1f%aI%x1f%s';
  const args = ['log', '-z', '--no-renames', '--name-only', `--max-count=${most}`, format, ...range, '--'];
  const { code, output } = await git.run(args);
  return code === 0 ? parseLog(output) : [];
}

function parseLog(output: GitOutput): CommitWithFiles[] {
  const commits: (CommitNote & { files: string[] })[] = [];
  for (const field of output.toString().split('\0')) {
    if (field.startsWith('\x01')) {
      const [id, author, at, ...subject] = field.slice(1).split('\x1f');
      commits.push({ id: id!, author: author!, at: at!, subject: subject.join('\x1f'), files: [] });
    } else {
      const path = field.replace(/^\n/, ''); // Git ends the message with a line of its own before the first path.
      if (path !== '') commits.at(-1)?.files.push(path);
    }
  }
  return commits;
}

export function withoutFiles({ id, author, at, subject }: CommitNote): CommitNote {
  return { id, author, at, subject };
}
