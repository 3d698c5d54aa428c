/** The repository that the demo works in: a working copy, its bare upstream, and a colleague's clone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDir, namesIn, placeFileUnsynced, readIfExists } from '../../system/files.ts';
import { packaged } from '../../system/packaged.ts';
import { type Say, speak } from '../../verbs/text/choose.ts';
import type { Stage } from './stage.ts';

const SHOP = packaged('examples/demo/');

export async function makeRepositories(folder: string, { git, repository }: Stage, say: Say): Promise<void> {
  const upstream = join(folder, 'upstream.git');
  await git(['init', '--quiet', '--bare', '--initial-branch=main', upstream], folder);
  await git(['clone', '--quiet', upstream, repository], folder);
  await identify(repository, 'Ada', git);
  copy(SHOP, repository);
  await translateAgent(join(repository, 'agent.ts'), say);
  await git(['add', '.']);
  await git(['commit', '--quiet', '-m', say('demo.commit.first')]);
  await git(['push', '--quiet', 'origin', 'HEAD:main']);
  await git(['clone', '--quiet', upstream, colleagueOf(folder)], folder);
  await identify(colleagueOf(folder), 'Ben', git);
}

/** The agent asks and tells in the reader's language: each of its texts is one of ours. */
async function translateAgent(file: string, say: Say): Promise<void> {
  const english = await speak('en');
  const source = AGENT.reduce((text, part) => {
    const [from, to] = [english(`demo.agent.${part}`, VALUES), say(`demo.agent.${part}`, VALUES)];
    return QUOTES.reduce((done, quote) => done.replace(quote + from + quote, () => quote + to + quote), text);
  }, readIfExists(file)!.toString('utf8'));
  placeFileUnsynced(file, Buffer.from(source));
}

const QUOTES = ['\u0027', '\u0060'];
/** As in its code. */
const VALUES = { file: '$'.concat('{file}'), files: '$'.concat('{files.length}') };
// biome-ignore format: one line says it
const AGENT = ['task', 'plan', 'what', 'why', 'prompt', 'think', 'now', 'renamed', 'fail', 'commit'] as const;

export function colleagueOf(folder: string): string {
  return join(folder, 'colleague');
}

/** Replaces text, as a person in an editor does. */
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
