/**
 * A store at a path inside the project keeps itself out of git. In a directory that has nothing else it does so by a
 * .gitignore of its own; among the user's files, by lines of `info/exclude`, which is never committed.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ensureDir, readIfExists, replaceFile } from '../../system/files.ts';
import { runGit } from '../../system/git/git.ts';
import { escaped } from '../../system/git/out-of-git.ts';
import * as io from '../../system/io.ts';
import { ignoreBeside, ignoreLines, isAlone, isIgnoredBeside } from '../store-files.ts';

/** Does nothing outside a repository, for a place outside the project, or where git does not see the files anyway. */
export async function keepFilesOutOfGit(
  project: string,
  path: string,
  kind: 'database' | 'json',
): Promise<void> {
  if (kind === 'database' && isIgnoredBeside(path)) return;
  if (kind === 'database' && isBelow(project, dirname(path)) && isAlone(path)) return ignoreBeside(path);
  const dir = kind === 'json' ? path : dirname(path);
  if (dir !== resolve(project) && !isBelow(project, dir)) return;
  const { code, output } = await runGit(dir, ['rev-parse', '--path-format=absolute', ...WHERE]);
  const [exclude, prefix = ''] = output.toString().split('\n');
  if (code !== 0 || !exclude) return;
  const wanted = ignoreLines(kind, escaped(basename(path))).map((line) => `/${escaped(prefix)}${line}`);
  const known = readIfExists(exclude)?.toString() ?? '';
  const missing = wanted.filter((line) => !known.split('\n').includes(line));
  if (missing.length === 0 || io.lstat(exclude)?.isSymbolicLink()) return;
  const marker = kind === 'json' ? join(path, 'store.json') : path;
  if ((await runGit(dir, ['check-ignore', '--quiet', marker])).code === 0) return;
  ensureDir(dirname(exclude), 0o755);
  const start = known === '' || known.endsWith('\n') ? known : `${known}\n`;
  const text = `${start}# The store of vibe-engine.\n${missing.join('\n')}\n`;
  replaceFile(exclude, Buffer.from(text), (io.lstat(exclude)?.mode ?? 0o644) & 0o777);
}

const WHERE = ['--git-path', 'info/exclude', '--show-prefix'];

function isBelow(project: string, dir: string): boolean {
  const inside = relative(resolve(project), dir);
  return (
    inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && resolve(project, inside) === dir
  );
}
