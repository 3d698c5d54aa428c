/** How merges of real files compare with git's, and with what people made of them. */
import { mkdirSync } from 'node:fs';
import { type GitMerge, gitMerges } from '../../test/merge/git-merges.ts';
import type { RealMerge } from './corpus.ts';

export interface Judged {
  /** In percent: clean with the same bytes as git's, or neither clean. */
  readonly agreement: number;
  /** Clean, but not what the merge commit has. */
  readonly wrong: number;
}

export function mergedByGit(rows: readonly RealMerge[], directory: string): GitMerge[] {
  mkdirSync(directory);
  return gitMerges(
    directory,
    rows.map((row) => ({ ...row, style: 'merge' })),
  );
}

export function judgeMerges(
  rows: readonly RealMerge[],
  merges: readonly GitMerge[],
  byGit: readonly GitMerge[],
): Judged {
  const agreed = merges.filter(({ clean, bytes }, row) => {
    const git = byGit[row]!;
    return clean === git.clean && (!clean || Buffer.compare(bytes, git.bytes) === 0);
  });
  const wrong = merges.filter(
    ({ clean, bytes }, row) => clean && Buffer.compare(bytes, rows[row]!.human) !== 0,
  );
  return { agreement: (100 * agreed.length) / rows.length, wrong: wrong.length };
}
