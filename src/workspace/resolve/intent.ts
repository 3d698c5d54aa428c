/** What the outside change probably wants: the messages of the commits that brought it, else what it does to the file. */
import { lineReader } from '../../merge/lines.ts';
import { runGit } from '../../system/git.ts';

const MOST_MESSAGES = 5;
const MOST_LINES = 20;

/** `since` is the commit the agent started from. */
export async function inferExternalIntent(
  root: string,
  file: { readonly path: string; readonly base: Uint8Array; readonly theirs: Uint8Array },
  since: string | null,
): Promise<string> {
  const messages = since === null ? [] : await messagesOf(root, file.path, since);
  return messages.length > 0 ? messages.join('; ') : summariseChange(file.base, file.theirs);
}

async function messagesOf(root: string, path: string, since: string): Promise<string[]> {
  if (!/^[0-9a-f]{40,64}$/.test(since)) return [];
  const range = ['log', `--max-count=${MOST_MESSAGES}`, '--format=%s', `${since}..HEAD`, '--', path];
  const { code, output } = await runGit(root, range);
  return code === 0
    ? output
        .toString()
        .split('\n')
        .filter((line) => line !== '')
    : [];
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
  return [`adds ${added.length} lines and removes ${removed.length}`, ...shown].join('\n');
}
