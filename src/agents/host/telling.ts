/** What the model is told before it goes on: what was cut off, what others changed, who is changing what. */
import type { UnfinishedCall } from '../../engine/api/agent-events.ts';
import { asText } from '../payload.ts';

export interface News {
  /** Calls that were cut off when an earlier process ended. */
  readonly cut_off: readonly UnfinishedCall[];
  /** Files that others changed since the turn before. */
  readonly changed: readonly string[];
  /** Files that others are changing now. */
  readonly held: readonly { readonly paths: readonly string[]; readonly by: string }[];
}

const MOST_FILES = 20;
const LONGEST_INPUT = 400;

/** For a language model, in English. Undefined where there is nothing to tell. */
export function newsText({ cut_off, changed, held }: News): string | undefined {
  const lines = [
    ...cut_off.map(cutOffLine),
    ...(changed.length === 0
      ? []
      : [
          `Changed by others since your last turn: ${firstPaths(changed)}. Read them again before you edit them.`,
        ]),
    ...held.map(({ paths, by }) => `Being changed by ${by} right now, so do not edit: ${firstPaths(paths)}.`),
  ];
  return lines.length === 0 ? undefined : ['Vibe Engine:', ...lines].join('\n');
}

function cutOffLine({ name, input, began_at, files }: UnfinishedCall): string {
  const done =
    files === null
      ? 'What it changed is not known.'
      : files.changed.length === 0
        ? 'No files changed since.'
        : `Changed since, by it or by others: ${firstPaths(files.changed)}.`;
  return `The call ${name}(${excerpt(input)}) was cut off (begun ${began_at}): it may or may not have finished. ${done} Check before you run it again.`;
}

export function firstPaths(paths: readonly string[]): string {
  const more = paths.length - MOST_FILES;
  return more > 0 ? `${paths.slice(0, MOST_FILES).join(', ')} and ${more} more` : paths.join(', ');
}

function excerpt(input: unknown): string {
  const text = asText(input);
  return text.length <= LONGEST_INPUT ? text : `${text.slice(0, LONGEST_INPUT - 1)}…`;
}
