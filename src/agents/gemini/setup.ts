/** Registers the extension with Gemini CLI. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { phrase } from '../../phrase.ts';
import { ensureDir } from '../../system/files.ts';
import { jsonIn } from '../../system/json.ts';
import type { Setup, SetupState } from '../client.ts';
import { TITLES } from '../names.ts';
import {
  type ClientProgram,
  findClient,
  jsonSaid,
  mustFind,
  NOT_FOUND,
  runClient,
  tryClient,
} from '../setup/client-program.ts';
import { agentsDir, removeDirectory, writeDirectory } from '../setup/directory.ts';
import { type Footprint, noteAfter, noteBefore, restoreAfter } from '../setup/footprint.ts';
import { hostGone } from '../setup/host-gone.ts';
import { noProject } from '../setup/no-project.ts';
import { geminiExtension } from '../setup/plugin/gemini.ts';
import { installedProgram, isStrict, type ServerEntry } from '../setup/plugin/host.ts';
import { PLUGIN } from '../setup/plugin/marketplace.ts';
import { jsonMeaning } from '../setup/restoring.ts';

const GEMINI: ClientProgram = { command: 'gemini', title: TITLES.gemini, package: '@google/gemini-cli' };

export const geminiSetup: Setup = {
  async install(options) {
    const version = await mustFind(GEMINI);
    if (options.project !== undefined) return noProject(GEMINI.title, version);
    const dir = extensionDir();
    const footprint = footprintOf(dir);
    const before = await entry();
    noteBefore(footprint, before !== undefined);
    // It works on a copy, and refuses to copy over one.
    if (before) await uninstall(dir);
    writeDirectory(dir, geminiExtension(installedProgram(), options.strict ?? false));
    // It asks whether that directory is trusted, and takes the one it is started in for trusted, too.
    await runClient(GEMINI, ['extensions', 'install', dir, '--consent'], { cwd: dir, input: 'y\n' });
    noteAfter(footprint);
    return await this.status(options);
  },

  async status({ project }) {
    const version = await findClient(GEMINI);
    if (version === null) return NOT_FOUND;
    if (project !== undefined) return noProject(GEMINI.title, version);
    const found = await entry();
    if (!found) return { found: true, version, installed: false, active: false, strict: false, missing: [] };
    const server = found.mcpServers?.[PLUGIN];
    const missing = [...(found.isActive ? [] : [DISABLED]), ...hostGone(server)];
    const strict = isStrict(server);
    return { found: true, version, installed: true, active: missing.length === 0, strict, missing };
  },

  async remove(options) {
    const version = await findClient(GEMINI);
    if (version === null) return NOT_FOUND;
    if (options.project !== undefined) return noProject(GEMINI.title, version);
    const dir = extensionDir();
    const unrestored = await restoreAfter(footprintOf(dir), async () => {
      if (await entry()) await uninstall(dir);
    });
    removeDirectory(dir);
    const state: SetupState = await this.status(options);
    return { ...state, missing: [...state.missing, ...unrestored] };
  },
};

const DISABLED: string = phrase`Gemini CLI has it turned off here: run "gemini extensions enable ${PLUGIN}".`;

/** Gemini CLI keeps notes of every directory that it is started in, by this name. */
const EXTENSION = 'vibe-engine-gemini';

function extensionDir(): string {
  return join(agentsDir(), EXTENSION);
}

async function uninstall(dir: string): Promise<void> {
  ensureDir(dir);
  await runClient(GEMINI, ['extensions', 'uninstall', PLUGIN], { cwd: dir });
}

interface Entry {
  readonly name: string;
  readonly isActive: boolean;
  readonly mcpServers?: Readonly<Record<string, ServerEntry>>;
}

/** It prints the list on its error output. */
async function entry(): Promise<Entry | undefined> {
  const { output, errors } = await tryClient(GEMINI, ['extensions', 'list', '--output-format', 'json']);
  const listed = jsonSaid(output) ?? jsonSaid(errors);
  return (Array.isArray(listed) ? (listed as Entry[]) : []).find(({ name }) => name === PLUGIN);
}

function footprintOf(dir: string): Footprint {
  const home = join(process.env.GEMINI_CLI_HOME || homedir(), '.gemini');
  const extensions = join(home, 'extensions');
  const asIs = (text: string) => text;
  return {
    client: 'gemini',
    project: null,
    files: [
      { path: join(extensions, 'extension-enablement.json'), meaning: jsonMeaning(), bookkeeping: true },
      { path: join(home, 'trustedFolders.json'), meaning: (text) => withoutFolder(text, dir) },
      { path: join(home, 'projects.json'), meaning: (text) => withoutProject(text, dir), bookkeeping: true },
      { path: join(home, 'extension_integrity.json'), meaning: asIs, bookkeeping: true },
      // The key of the line above.
      { path: join(home, 'gemini-credentials.json'), meaning: asIs, bookkeeping: true },
    ],
    directories: [home, extensions, join(home, 'history'), join(home, 'tmp')],
    ours: [join(extensions, PLUGIN), join(home, 'history', EXTENSION), join(home, 'tmp', EXTENSION)],
  };
}

function withoutFolder(text: string, dir: string): string | null {
  const { [dir]: _, ...rest } = (jsonIn(text) ?? { text }) as Record<string, unknown>;
  return jsonMeaning()(JSON.stringify(rest));
}

function withoutProject(text: string, dir: string): string | null {
  const { projects } = (jsonIn(text) ?? {}) as { projects?: unknown };
  return projects === undefined ? text : withoutFolder(JSON.stringify(projects), dir);
}
