/** Many merges by `git merge-file` in one shell, which is several times cheaper than a process from here for each. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConflictStyle } from '../../src/merge/style.ts';
import type { MergeCase } from './cases.ts';

export interface GitMerge {
  readonly clean: boolean;
  readonly bytes: Uint8Array;
}

const FLAGS: Record<ConflictStyle, string> = { merge: '', diff3: '--diff3', zdiff3: '--zdiff3' };

const SCRIPT = `
i=0
while read -r flags; do
  git merge-file -p -L ours -L base -L theirs $flags $i.ours $i.base $i.theirs > $i.merged 2> /dev/null
  echo $? > $i.status
  i=$((i + 1))
done < flags
`;

export function gitMerges(
  directory: string,
  cases: readonly (MergeCase & { readonly style: ConflictStyle })[],
): GitMerge[] {
  cases.forEach((files, index) => {
    for (const side of ['base', 'ours', 'theirs'] as const)
      writeFileSync(join(directory, `${index}.${side}`), files[side]);
  });
  writeFileSync(join(directory, 'flags'), cases.map(({ style }) => `${FLAGS[style]}\n`).join(''));
  execFileSync('sh', ['-c', SCRIPT], { cwd: directory, env: bareEnvironment(directory) });
  return cases.map((_, index) => ({
    clean: readFileSync(join(directory, `${index}.status`), 'utf8').trim() === '0',
    bytes: readFileSync(join(directory, `${index}.merged`)),
  }));
}

/** Git without anybody's settings. */
export function bareEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
}
