/** The directory on this machine that Claude Code and Codex were told of. */
import { join } from 'node:path';
import { jsonIn } from '../../system/json.ts';
import { shellWord } from '../../system/process/shell.ts';
import { agentsDir, removeDirectory, textIn, writeDirectory } from './directory.ts';
import { anyNoted } from './footprint.ts';
import { installedProgram, type ServerEntry } from './plugin/host.ts';
import { marketplaceFiles, PLUGIN } from './plugin/marketplace.ts';
import { SCRIPT } from './plugin/script.ts';

function marketplaceDir(): string {
  return join(agentsDir(), 'marketplace');
}

/** Writes it for one of the two; the other's part stays as strict as it was. */
export function writeMarketplace(client: 'claude' | 'codex', strict: boolean): string {
  const dir = marketplaceDir();
  const script = shellWord(join(dir, PLUGIN, SCRIPT));
  const was = (file: string) => textIn(dir, `${PLUGIN}/hooks/${file}`)?.includes(SCRIPT) ?? false;
  const stricts = { claude: was('hooks.json'), codex: was('codex.json'), [client]: strict };
  const files = marketplaceFiles({
    program: installedProgram(),
    claude: stricts.claude ? script : null,
    codex: stricts.codex ? script : null,
  });
  writeDirectory(dir, files);
  return dir;
}

/** Once neither refers to it. */
export function dropMarketplace(): void {
  if (!anyNoted(['claude', 'codex'])) removeDirectory(marketplaceDir());
}

/** The server that one of its files names. */
export function serverIn(file: string): ServerEntry | undefined {
  const text = textIn(marketplaceDir(), `${PLUGIN}/${file}`);
  const { mcpServers } =
    (text === null ? {} : (jsonIn(text) as { mcpServers?: Record<string, ServerEntry> })) ?? {};
  return mcpServers?.[PLUGIN];
}
