/** What the outside change probably wants: the messages of the commits that brought it, else what it does to the file. */
import { lineReader } from '../../merge/lines.ts';
import type { TextMerge } from '../../merge/result.ts';
import { phrase } from '../../phrase.ts';
import { runGit } from '../../system/git/git.ts';

const MOST_MESSAGES = 5;
const MOST_LINES = 20;

interface OutsideChange {
  readonly path: string;
  readonly base: Uint8Array;
  readonly theirs: Uint8Array;
  readonly merge: Pick<TextMerge, 'conflicts'>;
}

/** `since` is the commit our side started from. */
export async function inferExternalIntent(
  root: string,
  change: OutsideChange,
  since: string | null,
): Promise<string> {
  const brought = since === null ? NOTHING : await commitsBehind(root, change, since);
  if (brought.messages.length === 0) return summariseChange(change.base, change.theirs);
  const said = brought.messages.join('; ');
  return brought.all
    ? said
    : phrase`${said}; and uncommitted: ${summariseChange(change.base, change.theirs)}`;
}

interface Brought {
  readonly messages: readonly string[];
  /** The commits brought all of it. */
  readonly all: boolean;
}

const NOTHING: Brought = { messages: [], all: false };

/** Whose lines stand in conflict on their side. Where they only removed some, the commits of the file. */
async function commitsBehind(root: string, change: OutsideChange, since: string): Promise<Brought> {
  if (!/^[0-9a-f]{40,64}$/.test(since)) return NOTHING;
  const subjects = await subjectsSince(root, change.path, since);
  if (subjects.size === 0) return NOTHING;
  const spans = change.merge.conflicts
    .map(({ lines }) => lines.theirs)
    .filter(({ from, to }) => to > from)
    .flatMap(({ from, to }) => ['-L', `${from + 1},${to}`]);
  if (spans.length === 0) return { messages: [...subjects.values()].slice(0, MOST_MESSAGES), all: true };
  const blame = ['blame', '--no-textconv', '--porcelain', '--contents', '-', ...spans, '--', change.path];
  const { code, output } = await runGit(root, blame, { input: change.theirs });
  if (code !== 0) return NOTHING;
  const commits = new Set(output.toString().match(/^[0-9a-f]{40,64}(?= \d+ \d+)/gm));
  const messages = [...commits].flatMap((commit) => subjects.get(commit) ?? []);
  return { messages: messages.slice(0, MOST_MESSAGES), all: [...commits].every((id) => !/^0+$/.test(id)) };
}

/** Of the commits that touched the file, newest first. */
async function subjectsSince(root: string, path: string, since: string): Promise<Map<string, string>> {
  const log = ['log', '--format=%H %s', `${since}..HEAD`, '--', path];
  const { code, output } = await runGit(root, log);
  const lines = code === 0 ? output.toString().split('\n') : [];
  return new Map(
    lines
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  );
}

/** How many lines it adds and removes, and the first of them. */
export function summariseChange(base: Uint8Array, theirs: Uint8Array): string {
  const read = lineReader();
  const [before, after] = [read(base), read(theirs)];
  const [had, has] = [new Set(before.ids), new Set(after.ids)];
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString().split('\n');
  const added = text(theirs).filter((_, line) => line < after.ids.length && !had.has(after.ids[line]!));
  const removed = text(base).filter((_, line) => line < before.ids.length && !has.has(before.ids[line]!));
  const shown = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].slice(
    0,
    MOST_LINES,
  );
  return [phrase`adds ${added.length} lines and removes ${removed.length}`, ...shown].join('\n');
}
