/** The clients, and what people call them. */
import type { ClientName } from './client.ts';

export const CLIENT_NAMES = [
  'claude',
  'codex',
  'gemini',
  'opencode',
] as const satisfies readonly ClientName[];

export const TITLES: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
};

/** A name that is not ours stays as it is. */
export function clientTitle(name: string): string {
  return TITLES[name as ClientName] ?? name;
}
