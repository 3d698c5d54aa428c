/** What others use to keep files: a git directory of its own over the same work tree. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Shadow {
  readonly begun: boolean;
  /** An empty one. */
  begin(): void;
  /** `git add -A` and `git write-tree`; the tree's id. */
  snapshot(): string;
  /** `git add -A` and `git commit`, as agents do it; the commit's id. */
  commit(): string;
  restore(tree: string, paths: readonly string[]): void;
}

export function shadowOf(root: string, gitDir: string): Shadow {
  const git = (...args: string[]) =>
    execFileSync('git', [`--git-dir=${gitDir}`, `--work-tree=${root}`, '-c', 'core.bare=false', ...args]);
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgSign=false'];
  let begun = false;
  return {
    get begun() {
      return begun;
    },
    begin() {
      begun = true;
      rmSync(gitDir, { recursive: true, force: true });
      execFileSync('git', ['init', '-q', '--bare', gitDir]);
      // As agents exclude their own directories; git would take our store for a repository without commits, and stop.
      appendFileSync(join(gitDir, 'info', 'exclude'), '/.vibe-engine/\n');
    },
    snapshot() {
      git('add', '-A');
      return git('write-tree').toString().trim();
    },
    commit() {
      git('add', '-A');
      git(...person, 'commit', '--quiet', '--no-verify', '--allow-empty', '-m', 'checkpoint');
      return git('rev-parse', 'HEAD').toString().trim();
    },
    restore: (tree, paths) => void git('restore', `--source=${tree}`, '--worktree', '--', ...paths),
  };
}
