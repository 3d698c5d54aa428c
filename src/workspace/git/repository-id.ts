/**
 * What tells a repository from others, wherever its clones are: the address of its remote, which clones share however
 * shallow they are and which forks do not; where that is no address of a server, its first commits.
 *
 * A wrong guess loses nothing: taken for the same, two repositories refuse each other files they could have; taken for
 * different, agents work on the same file in two clones, and git has to merge what they did.
 */
import { runGit } from '../../system/git/git.ts';

interface RepositoryId {
  readonly id: string;
  /** Where in the repository the directory is: empty, or a path that ends with "/". */
  readonly prefix: string;
}

/** Null where there is no repository, or nothing that tells it from others. */
export async function repositoryId(directory: string): Promise<RepositoryId | null> {
  const lines = async (...args: string[]): Promise<string[]> => {
    const { code, output } = await runGit(directory, args);
    return code === 0 ? output.toString().split('\n').filter(Boolean) : [];
  };
  const [inside] = await lines('rev-parse', '--is-inside-work-tree');
  if (inside !== 'true') return null;
  const [prefix = ''] = await lines('rev-parse', '--show-prefix');
  const remotes = await lines('remote');
  const remote = remotes.includes('origin') ? 'origin' : remotes[0];
  const [url] = remote === undefined ? [] : await lines('remote', 'get-url', remote);
  const address = url === undefined ? null : serverAddress(url);
  if (address !== null) return { id: address, prefix };
  const [shallow] = await lines('rev-parse', '--is-shallow-repository');
  const first = shallow === 'false' ? await lines('rev-list', '--max-parents=0', 'HEAD') : [];
  return first.length === 0 ? null : { id: first.sort().join(), prefix };
}

/** The same for every way to reach it: `host/path`, without protocol, user, port and `.git`. Null for a directory. */
export function serverAddress(url: string): string | null {
  const found =
    /^(?!file:)[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/]+)(?::\d+)?\/(.+)$/i.exec(url) ??
    /^(?:[^@/:]+@)?([^@/:\\]{2,}|\[[^\]]+\]):(?!\/\/)(.+)$/.exec(url);
  if (!found) return null;
  const path = found[2]!.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '');
  return path === '' ? null : `${found[1]}/${path}`.toLowerCase();
}
