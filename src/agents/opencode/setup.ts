/** Puts the plugin where opencode looks for plugins: it has no command for that. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureDir, removeIfExists, replaceFile } from '../../system/files.ts';
import type { Setup, SetupState } from '../client.ts';
import { TITLES } from '../names.ts';
import { type ClientProgram, findClient, mustFind, NOT_FOUND } from '../setup/client-program.ts';
import { textIn } from '../setup/directory.ts';
import { type Footprint, noteAfter, noteBefore, restoreAfter } from '../setup/footprint.ts';
import { hostGone } from '../setup/host-gone.ts';
import { installedProgram, isStrict } from '../setup/plugin/host.ts';
import { hostOf, OPENCODE_PLUGIN, opencodeFiles } from '../setup/plugin/opencode.ts';

const OPENCODE: ClientProgram = { command: 'opencode', title: TITLES.opencode, package: 'opencode-ai' };

export const opencodeSetup: Setup = {
  async install(options) {
    await mustFind(OPENCODE);
    const dir = configDir(options.project);
    const footprint = footprintOf(dir, options.project ?? null);
    noteBefore(footprint, textIn(dir, OPENCODE_PLUGIN) !== null);
    const files = opencodeFiles(installedProgram(), options.strict ?? false);
    for (const [path, text] of Object.entries(files)) {
      ensureDir(dirname(join(dir, path)));
      replaceFile(join(dir, path), Buffer.from(text), 0o644);
    }
    noteAfter(footprint);
    return await this.status(options);
  },

  async status({ project }) {
    const version = await findClient(OPENCODE);
    if (version === null) return NOT_FOUND;
    const text = textIn(configDir(project), OPENCODE_PLUGIN);
    if (text === null)
      return { found: true, version, installed: false, active: false, strict: false, missing: [] };
    const [command = '', ...args] = hostOf(text);
    const server = { command, args };
    const missing = hostGone(server);
    const strict = isStrict(server);
    return { found: true, version, installed: true, active: missing.length === 0, strict, missing };
  },

  async remove(options) {
    const dir = configDir(options.project);
    const footprint = footprintOf(dir, options.project ?? null);
    const unrestored = await restoreAfter(footprint, async () => {
      // What somebody changed is theirs.
      for (const strict of [false, true])
        for (const [path, text] of Object.entries(opencodeFiles(installedProgram(), strict)))
          if (textIn(dir, path) === text) removeIfExists(join(dir, path));
    });
    const state: SetupState = await this.status(options);
    return { ...state, missing: [...state.missing, ...unrestored] };
  },
};

function configDir(project: string | undefined): string {
  if (project !== undefined) return join(project, '.opencode');
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'opencode');
}

function footprintOf(dir: string, project: string | null): Footprint {
  const paths = Object.keys(opencodeFiles(installedProgram(), false)).map((path) => join(dir, path));
  const directories = [dir, ...new Set(paths.flatMap((path) => [dirname(dirname(path)), dirname(path)]))];
  return {
    client: 'opencode',
    project,
    files: paths.map((path) => ({ path, meaning: (text) => text })),
    directories: [...new Set(directories)].sort(),
    ours: [],
  };
}
