/** What was decided about single files and lines of a preview, and its plan as data. */
import { FILE_CHOICES } from '../../config/schema.ts';
import type { FileChoices } from '../../engine/files/choices.ts';
import type { PlannedFile } from '../../engine/files/workspace-link.ts';
import { assertUnmasked } from '../../engine/questions/conflict.ts';
import { InvalidInputError } from '../../errors.ts';
import type { Decision } from '../../merge/decide.ts';
import type { TextHunk } from '../../merge/hunks.ts';
import { readIfExists } from '../../system/files.ts';
import type { Call } from '../kit/verb.ts';
import { shownConflict } from './conflict-hunks.ts';
import { detailed, fileChoices, HUNK_OF, LINES } from './options.ts';

interface Given {
  readonly 'on-modified': readonly string[];
  readonly 'on-deleted': readonly string[];
  readonly file: readonly string[];
  readonly hunk: readonly string[];
  readonly content: readonly string[];
  readonly text: readonly string[];
  readonly 'expect-file': readonly string[];
}

type Caller = Pick<Call<object, Given>, 'options' | 'say' | 'path'>;

export function choicesIn(call: Caller): FileChoices {
  const { options } = call;
  const hunks: Record<string, Map<number, Decision>> = {};
  for (const text of options.hunk) {
    const [, path = '', number, choice] = HUNK_OF.exec(text) ?? [];
    hunks[path] ??= new Map();
    hunks[path].set(Number(number), LINES[choice as keyof typeof LINES]);
  }
  const contents = Object.fromEntries([
    ...options.content.map(parted).map(([path, file]) => [path, contentOf(call, file)] as const),
    ...options.text.map(parted).map(([path, text]) => [path, Buffer.from(text)] as const),
  ]);
  const expect_files = Object.fromEntries(options['expect-file'].map((text) => parted(text, true)));
  const some = <T extends object>(name: string, found: T): object =>
    Object.keys(found).length > 0 ? { [name]: found } : {};
  return {
    ...fileChoices(options, options.file),
    ...some('hunks', hunks),
    ...some('contents', contents),
    ...some('expect_files', expect_files),
  };
}

/** At the first `=`, or the last. */
function parted(text: string, last?: boolean | number): [string, string] {
  const at = last === true ? text.lastIndexOf('=') : text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

export function contentOf({ say, path }: Pick<Call, 'say' | 'path'>, file: string): Uint8Array {
  const bytes = readIfExists(path(file));
  if (bytes) return bytes;
  throw new InvalidInputError('USAGE', say('conflicts.no_file', { file }), {
    data: { file },
    hint: say('conflicts.no_file_hint'),
  });
}

/** What is given whole is compared with what is there. */
export function detailsFor(options: Parameters<typeof detailed>[0], { contents = {} }: FileChoices) {
  const given = detailed(options);
  return given.details === false ? { ...given, details: Object.keys(contents) } : given;
}

/** Files that are given whole are read, too: what is masked where they are shown must not replace what is there. */
export function refuseMasked({ contents = {} }: FileChoices, plan: readonly PlannedFile[] | null): void {
  for (const [path, content] of Object.entries(contents)) {
    const there = Buffer.from(plan?.find((file) => file.path === path)?.before ?? '');
    assertUnmasked({ path, versions: { base: there, ours: there, theirs: there } }, content);
  }
}

/**
 * The conflicts of a file as texts, numbered from 1 through all that it has; a summary has only how many lines go and how many
 * changes of others stay.
 */
export function planData(plan: readonly PlannedFile[] | null, summary = false) {
  return (
    plan?.map(({ conflict, ...file }) => ({
      ...file,
      conflict: conflict && { ...shownConflict(conflict), conflicts: conflict.merge.conflicts.length },
      lines: file.own && { ...linesOf(file.own), stay: file.others?.length ?? 0 },
      ...(summary ? NOTHING_INSIDE : {}),
    })) ?? null
  );
}

const NOTHING_INSIDE = {
  before: null,
  after: null,
  own: null,
  others: null,
  conflict: null,
  too_large: false,
};

function linesOf(hunks: readonly TextHunk[]): { readonly added: number; readonly removed: number } {
  const count = (kind: string): number =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  return { added: count('add'), removed: count('remove') };
}

/** The flags that answer everything a plan leaves open, and the question whether to do it. */
export function answersFor(plan: readonly PlannedFile[] | null, choices: FileChoices): string {
  const kinds = (['modified', 'deleted'] as const).filter(
    (kind) =>
      choices[`on_${kind}`] === undefined &&
      plan?.some(
        ({ path, action, why, choice }) =>
          action === 'ask' && why === kind && choice == null && choices.files?.[path] === undefined,
      ),
  );
  return ['--yes', ...kinds.map((kind) => `--on-${kind} ${FILE_CHOICES[kind].join('|')}`)].join(' ');
}
