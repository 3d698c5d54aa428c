/** Registers the plugin with Claude Code. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { phrase } from '../../phrase.ts';
import * as io from '../../system/io.ts';
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
import { isStrict } from '../setup/plugin/host.ts';
import { MARKETPLACE, PLUGIN_ID } from '../setup/plugin/marketplace.ts';
import { jsonMeaning } from '../setup/restoring.ts';

const CLAUDE: ClientProgram = {
  command: 'claude',
  title: TITLES.claude,
  package: '@anthropic-ai/claude-code',
};

export const claudeSetup: Setup = {
  async install(options) {
    const { project, strict = false } = options;
    await mustFind(CLAUDE);
    const footprint = footprintOf(project ?? null);
    noteBefore(footprint, (await entryOf(project)) !== undefined);
    const dir = writeMarketplace('claude', strict);
    const where = inProject(project);
    await runClient(CLAUDE, ['plugin', 'marketplace', 'add', dir, '--scope', scopeOf(project)], where);
    await runClient(CLAUDE, ['plugin', 'install', PLUGIN_ID, '--scope', scopeOf(project)], where);
    noteAfter(footprint);
    return await this.status(options);
  },

  async status({ project }) {
    const version = await findClient(CLAUDE);
    if (version === null) return NOT_FOUND;
    const entry = await entryOf(project);
    const found = { found: true, version, installed: entry !== undefined };
    if (!entry) return { ...found, active: false, strict: false, missing: [] };
    const server = serverIn('.mcp.json');
    const missing = [...(entry.enabled ? [] : [DISABLED]), ...hostGone(server)];
    return { ...found, active: missing.length === 0, strict: isStrict(server), missing };
  },

  async remove(options) {
    const { project } = options;
    const version = await findClient(CLAUDE);
    if (version === null) return NOT_FOUND;
    const scope = scopeOf(project);
    const unrestored = await restoreAfter(footprintOf(project ?? null), async () => {
      if (await entryOf(project))
        await runClient(CLAUDE, ['plugin', 'uninstall', PLUGIN_ID, '--scope', scope], inProject(project));
      // It fails where there is none.
      await tryClient(
        CLAUDE,
        ['plugin', 'marketplace', 'remove', MARKETPLACE, '--scope', scope],
        inProject(project),
      );
    });
    dropMarketplace();
    const state: SetupState = await this.status(options);
    return { ...state, missing: [...state.missing, ...unrestored] };
  },
};

const DISABLED: string = phrase`Claude Code has it turned off: run "claude plugin enable ${PLUGIN_ID}".`;

/** The settings of a project that are this user's alone: the path of our directory means nothing to others. */
function scopeOf(project: string | undefined): string {
  return project === undefined ? 'user' : 'local';
}

function inProject(project: string | undefined): { cwd?: string } {
  return project === undefined ? {} : { cwd: project };
}

interface Entry {
  readonly id: string;
  readonly scope: string;
  readonly enabled: boolean;
  readonly projectPath?: string;
}

/** By the client's own account. */
async function entryOf(project: string | undefined): Promise<Entry | undefined> {
  const { output } = await tryClient(CLAUDE, ['plugin', 'list', '--json'], inProject(project));
  const listed = jsonSaid(output);
  return (Array.isArray(listed) ? (listed as Entry[]) : []).find(
    ({ id, scope, projectPath }) =>
      id === PLUGIN_ID &&
      scope === scopeOf(project) &&
      (project === undefined || isSameDirectory(projectPath, project)),
  );
}

/** It may have resolved links. */
function isSameDirectory(recorded: string | undefined, project: string): boolean {
  return recorded !== undefined && (recorded === project || io.realpath(recorded) === io.realpath(project));
}

function footprintOf(project: string | null): Footprint {
  const home = process.env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
  const plugins = join(home, 'plugins');
  const cache = join(plugins, 'cache');
  const settings =
    project === null ? join(home, 'settings.json') : join(project, '.claude', 'settings.local.json');
  const lists = jsonMeaning();
  return {
    client: 'claude',
    project,
    files: [
      { path: settings, meaning: jsonMeaning('enabledPlugins', 'extraKnownMarketplaces') },
      { path: join(plugins, 'known_marketplaces.json'), meaning: lists, bookkeeping: true },
      {
        path: join(plugins, 'installed_plugins.json'),
        meaning: (text) => (lists(text) === NO_PLUGINS ? null : lists(text)),
        bookkeeping: true,
      },
    ],
    directories: [
      ...(project === null ? [] : [join(project, '.claude')]),
      plugins,
      join(plugins, 'marketplaces'),
      cache,
    ],
    ours: [join(cache, MARKETPLACE)],
  };
}

const NO_PLUGINS: string | null = jsonMeaning()('{"version":2,"plugins":{}}');
