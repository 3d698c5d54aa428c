/** Registers the plugin with Codex. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { phrase } from '../../phrase.ts';
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
import { type Footprint, noteAfter, noteBefore, restoreAfter } from '../setup/footprint.ts';
import { hostGone } from '../setup/host-gone.ts';
import { dropMarketplace, serverIn, writeMarketplace } from '../setup/marketplace-directory.ts';
import { noProject } from '../setup/no-project.ts';
import { isStrict } from '../setup/plugin/host.ts';
import { MARKETPLACE, PLUGIN_ID } from '../setup/plugin/marketplace.ts';
import { forgetTrust, isTrusted, trustHooks } from './trust.ts';

const CODEX: ClientProgram = { command: 'codex', title: TITLES.codex, package: '@openai/codex' };

export const codexSetup: Setup = {
  async install(options) {
    const version = await mustFind(CODEX);
    if (options.project !== undefined) return noProject(CODEX.title, version);
    const footprint = footprintOf();
    noteBefore(footprint, (await entry()) !== undefined);
    const dir = writeMarketplace('codex', options.strict ?? false);
    await runClient(CODEX, ['plugin', 'marketplace', 'add', dir]);
    // It works on a copy: another version of the plugin has to be added again.
    await runClient(CODEX, ['plugin', 'add', PLUGIN_ID]);
    if (options.trust) await trustHooks(PLUGIN_ID);
    noteAfter(footprint);
    return await this.status(options);
  },

  async status({ project }) {
    const version = await findClient(CODEX);
    if (version === null) return NOT_FOUND;
    if (project !== undefined) return noProject(CODEX.title, version);
    const found = await entry();
    if (!found) return { found: true, version, installed: false, active: false, strict: false, missing: [] };
    const server = serverIn('codex.mcp.json');
    const missing = [
      ...(found.enabled ? [] : [DISABLED]),
      ...((await isTrusted(PLUGIN_ID)) ? [] : [UNTRUSTED]),
      ...hostGone(server),
    ];
    const strict = isStrict(server);
    return { found: true, version, installed: true, active: missing.length === 0, strict, missing };
  },

  async remove(options) {
    const version = await findClient(CODEX);
    if (version === null) return NOT_FOUND;
    if (options.project !== undefined) return noProject(CODEX.title, version);
    const unrestored = await restoreAfter(footprintOf(), async () => {
      if (await entry()) {
        await forgetTrust(PLUGIN_ID);
        await runClient(CODEX, ['plugin', 'remove', PLUGIN_ID]);
      }
      // It fails where there is none.
      await tryClient(CODEX, ['plugin', 'marketplace', 'remove', MARKETPLACE]);
    });
    dropMarketplace();
    const state: SetupState = await this.status(options);
    return { ...state, missing: [...state.missing, ...unrestored] };
  },
};

const DISABLED: string = phrase`Codex has it turned off: set "enabled" to true in its table in config.toml.`;
const UNTRUSTED: string = phrase`Codex skips its hooks until you trust them: start codex and enter /hooks, or run "vibe-engine hooks install codex --trust".`;

interface Entry {
  readonly pluginId: string;
  readonly enabled: boolean;
}

async function entry(): Promise<Entry | undefined> {
  const { output } = await tryClient(CODEX, ['plugin', 'list', '--json']);
  const listed = jsonSaid(output) as { installed?: Entry[] } | null;
  return listed?.installed?.find(({ pluginId }) => pluginId === PLUGIN_ID);
}

function footprintOf(): Footprint {
  const home = process.env.CODEX_HOME || join(homedir(), '.codex');
  const plugins = join(home, 'plugins');
  const cache = join(plugins, 'cache');
  return {
    client: 'codex',
    project: null,
    files: [{ path: join(home, 'config.toml'), meaning: tomlMeaning }],
    directories: [home, plugins, cache],
    ours: [join(cache, MARKETPLACE)],
  };
}

/** Its server leaves the heading of an empty table behind. */
export function tomlMeaning(text: string): string | null {
  const rest = text.replace(/^\[hooks\.state\]\s*(?=^\[|$(?![\s\S]))/gm, '').trim();
  return rest === '' ? null : rest;
}
