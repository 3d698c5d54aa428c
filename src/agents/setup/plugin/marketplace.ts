/** One directory that Claude Code and Codex both take for a marketplace, with one plugin that both can read. */
import { ABOUT, AUTHOR, claudePlugin, type PluginOptions } from './claude.ts';
import { codexPlugin } from './codex.ts';
import { below, type Files, jsonText } from './files.ts';
import type { Program } from './host.ts';
import { SCRIPT, scriptText } from './script.ts';

export const MARKETPLACE = 'vibe-engine';
export const PLUGIN = 'vibe';
export const PLUGIN_ID: string = `${PLUGIN}@${MARKETPLACE}`;

interface MarketplaceOptions {
  readonly program: Program;
  /** What is strict has the path of the script. */
  readonly claude: PluginOptions['strict'];
  readonly codex: PluginOptions['strict'];
}

export function marketplaceFiles({ program, claude, codex }: MarketplaceOptions): Files {
  const entry = { name: PLUGIN, source: `./${PLUGIN}`, description: ABOUT };
  const catalogue = { name: MARKETPLACE, description: ABOUT, owner: AUTHOR, plugins: [entry] };
  return {
    '.claude-plugin/marketplace.json': jsonText(catalogue),
    ...below(PLUGIN, {
      ...claudePlugin({ program, strict: claude }),
      ...codexPlugin({ program, strict: codex }),
      ...((claude ?? codex) ? { [SCRIPT]: scriptText(program) } : {}),
    }),
  };
}
