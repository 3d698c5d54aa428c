/** Git as drift uses it: on one repository, as its user has set it up, with a time limit and without prompts. */

import { dirname } from 'node:path';
import { phrase } from '../phrase.ts';
import type { GitAnswer, GitOptions, GitOutput } from '../system/git/answer.ts';
import { runGit } from '../system/git/git.ts';
import type { RepositoryPaths } from './place.ts';

export interface Git {
  readonly place: RepositoryPaths;
  /** At the top of the worktree. */
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
  /** What it prints, less the last newline; null when it fails. */
  text(args: readonly string[], options?: GitOptions): Promise<string | null>;
}

/** Longer than any local git command should take. */
const TIME_LIMIT_MS = 120_000;

/** `settings` as git's own options: `-c`, `name=value`. */
export function gitAt(
  place: RepositoryPaths,
  always: GitOptions = {},
  settings: readonly string[] = [],
): Git {
  // If its own repository is broken, git would use the one around it.
  const GIT_CEILING_DIRECTORIES = dirname(place.toplevel);
  const run: Git['run'] = (args, options) =>
    runGit(place.toplevel, [...settings, ...args], {
      as_user: true,
      timeout_ms: TIME_LIMIT_MS,
      ...always,
      ...options,
      env: { GIT_CEILING_DIRECTORIES, ...always.env, ...options?.env },
    });
  return {
    place,
    run,
    text: async (args, options) => {
      const { code, output } = await run(args, options);
      return code === 0 ? output.toString().replace(/\n$/, '') : null;
    },
  };
}

/** The fields of what git prints with `-z`. */
export function fieldsOf(output: GitOutput): string[] {
  const fields = output.toString().split('\0');
  if (fields.at(-1) === '') fields.pop();
  return fields;
}

/** What went wrong, in git's first words. */
export function complaintOf({ errors, timed_out }: Pick<GitAnswer, 'errors' | 'timed_out'>): string {
  if (timed_out) return phrase`git took too long`;
  const lines = errors.split('\n').map((line) => line.trim());
  const line = lines.find((text) => /^(fatal|error): /.test(text)) ?? lines.find((text) => text !== '');
  return withoutSecrets((line ?? phrase`git failed`).replace(/^(fatal|error): /, ''));
}

/** An address may hold a name and a password. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/\/\/[^/@\s]*@/g, '//');
}
