/** What clients are called. */
import type { ClientName } from './client.ts';

export const CLIENT_TITLES: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
};

export const CLIENT_NAMES = Object.keys(CLIENT_TITLES) as readonly ClientName[];

/** A name that is not ours stays as it is. */
export function clientTitle(name: string): string {
  return CLIENT_TITLES[name as ClientName] ?? name;
}
