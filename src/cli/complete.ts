/**
 * What a shell asks when Tab is pressed: `vibe-engine --complete <shell> <words…>`. It gets candidates, one per line, or
 * nothing, and then offers files. Errors are silent: they must not appear in the user's command line.
 */

import { harmless, tidy } from '../verbs/format/width.ts';
import type { Argument } from '../verbs/kit/verb.ts';
import { languageOf, speak } from '../verbs/text/choose.ts';
import type { CliIo } from './common/io.ts';
import { COMMON } from './common/options.ts';
import { openProject, projectDir } from './common/project.ts';
import { type Candidate, candidates } from './completing/candidates.ts';
import { CLI_VERBS } from './verbs.ts';

export async function answerCompletion(
  [shell, ...words]: readonly string[],
  { cwd, env, out }: Pick<CliIo, 'cwd' | 'env' | 'out'>,
): Promise<void> {
  const show = SHOWN[shell ?? ''];
  if (!show) return;
  const explain = shell === 'bash' ? null : await speak(languageOf(env));
  const project = openProject({
    dir: projectDir(cwd, projectIn(words)),
    prompter: { ask: () => Promise.reject(new Error()) },
    notify: () => {},
    onProgress: () => {},
  });
  const named = async (kind: NonNullable<Argument['of']>, beginning: string) => {
    if (kind === 'setting') {
      const [{ SETTINGS }, { ALIASES }] = await Promise.all([
        import('../config/settings.ts'),
        import('../config/aliases.ts'),
      ]);
      return [...SETTINGS, ...(beginning === '' ? [] : ALIASES)].map(({ key }) => ({ word: key, about: '' }));
    }
    const store = await project.findStore();
    if (!store) return [];
    const { openReader } = await import('../engine/reading/reader.ts');
    const { checkpointCandidates, taskCandidates } = await import('./completing/named.ts');
    const reader = openReader({ ...store, now: () => new Date() });
    return (kind === 'task' ? taskCandidates : checkpointCandidates)(reader, beginning);
  };
  try {
    const found = await candidates(words, { registry: CLI_VERBS, common: COMMON, explain, named });
    out(found.map((one) => `${harmless(show({ word: tidy(one.word), about: tidy(one.about) }))}\n`).join(''));
  } catch {
    // Then there is nothing to offer.
  } finally {
    await project.close();
  }
}

/** The format of a candidate and its description for each shell. */
const SHOWN: Readonly<Record<string, (candidate: Candidate) => string>> = {
  bash: ({ word }) => word.replace(/^--[^=]+=/, ''),
  zsh: ({ word, about }) => `${word.replaceAll(':', '\\:')}${about === '' ? '' : `:${about}`}`,
  fish: ({ word, about }) => `${word}\t${about}`,
};

function projectIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--project' || word.startsWith('--project='));
  if (at < 0) return undefined;
  return words[at]!.includes('=') ? words[at]!.slice('--project='.length) : words[at + 1];
}
