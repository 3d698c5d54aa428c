/** The repository that the demo works in: a working copy, its bare upstream, and a colleague's clone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDir, namesIn, placeFileUnsynced, readIfExists } from '../../system/files.ts';
import type { Say } from '../../verbs/text/choose.ts';
import { packaged } from '../packaged.ts';
import type { Stage } from './stage.ts';

const SHOP = packaged('examples/demo/');

export async function makeRepositories(folder: string, { git, repository }: Stage, say: Say): Promise<void> {
  const upstream = join(folder, 'upstream.git');
  await git(['init', '--quiet', '--bare', '--initial-branch=main', upstream], folder);
  await git(['clone', '--quiet', upstream, repository], folder);
  await identify(repository, 'Ada', git);
  copy(SHOP, repository);
  await git(['add', '.']);
  await git(['commit', '--quiet', '-m', say('demo.commit.first')]);
  await git(['push', '--quiet', 'origin', 'HEAD:main']);
  await git(['clone', '--quiet', upstream, colleagueOf(folder)], folder);
  await identify(colleagueOf(folder), 'Ben', git);
}

export function colleagueOf(folder: string): string {
  return join(folder, 'colleague');
}

/** Puts text in place of other text, as somebody in an editor does. */
export function edit(file: string, from: string, to: string): void {
  const text = readIfExists(file)!.toString('utf8');
  if (!text.includes(from)) throw new Error(`${file}: ${from}`);
  placeFileUnsynced(file, Buffer.from(text.replace(from, to)));
}

async function identify(repository: string, name: string, git: Stage['git']): Promise<void> {
  await git(['config', 'user.name', name], repository);
  await git(['config', 'user.email', `${name.toLowerCase()}@example.com`], repository);
}

function copy(from: URL, to: string): void {
  ensureDir(to);
  for (const entry of namesIn(fileURLToPath(from))) {
    const { name } = entry;
    if (entry.isDirectory()) copy(new URL(`${name}/`, from), join(to, name));
    else placeFileUnsynced(join(to, name), readIfExists(fileURLToPath(new URL(name, from)))!);
  }
}
