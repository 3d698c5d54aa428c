/** The last resolver of a conflict: the user chooses a side, or one of the suggestions. */
import { type Resolution, resolveConflicts } from '../../merge/result.ts';
import { phrase } from '../../phrase.ts';
import type { ConflictedFile } from '../../workspace/resolve/conflicted-file.ts';
import type { Resolver } from '../../workspace/resolve/resolver.ts';
import type { Prompter, Question } from '../api/prompter.ts';

/** Leaves the conflict to the task. */
const LEAVE = 'leave';

export function userResolver(prompter: Prompter, task: string): Resolver {
  return {
    name: 'user',
    async resolve(file, signal) {
      const guesses = new Map(file.merge.conflicts.map((_, index) => [index, guessesFor(file, index)]));
      // Suggestions are offered if there is one for every conflict.
      const offered = ['recorded', 'both added', 'whitespace'].filter((by) =>
        [...guesses.values()].every((known) => known.has(by)),
      );
      const { base, ours, theirs } = file;
      const question: Question = {
        kind: 'file_conflict',
        task,
        message: `${phrase`${file.path}: the task and others changed the same lines. Which version should be kept?`}\n${shown(file)}`,
        options: ['ours', 'theirs', ...offered, LEAVE],
        data: dataOf(file),
        versions: { base, ours, theirs },
      };
      const chosen = await prompter.ask(question, signal);
      if (typeof chosen !== 'string') return chosen;
      if (chosen === LEAVE) return null;
      const answer = (index: number): Resolution | undefined =>
        chosen === 'ours' || chosen === 'theirs' ? chosen : guesses.get(index)?.get(chosen);
      const resolved = resolveConflicts(file.merge, (_, index) => answer(index));
      return resolved.outcome === 'clean' ? resolved.bytes : null;
    },
  };
}

const MOST_LINES = 40;

/** The conflicts as far as they fit. */
function shown({ merge }: ConflictedFile): string {
  const text = merge.conflicts
    .map(({ ours, theirs }) => `<<<<<<< ours\n${textOf(ours)}=======\n${textOf(theirs)}>>>>>>> theirs\n`)
    .join('');
  const lines = text.split('\n');
  return lines.length <= MOST_LINES ? text : `${lines.slice(0, MOST_LINES).join('\n')}\n…`;
}

function guessesFor({ suggestions }: ConflictedFile, index: number): Map<string, Uint8Array> {
  const own = suggestions.filter(({ conflict }) => conflict === index);
  return new Map(own.map(({ by, bytes }) => [by, bytes]));
}

function dataOf(file: ConflictedFile): Record<string, unknown> {
  const { path, merge, suggestions, agent_intent, inferred_external_intent } = file;
  return {
    path,
    conflicts: merge.conflicts.map(({ base, ours, theirs, lines }) => ({
      base: textOf(base),
      ours: textOf(ours),
      theirs: textOf(theirs),
      lines,
    })),
    /** The whole file, conflicts between markers. */
    merged: textOf(merge.bytes),
    suggestions: suggestions.map(({ conflict, by, bytes }) => ({ conflict, by, text: textOf(bytes) })),
    agent_intent,
    inferred_external_intent,
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
