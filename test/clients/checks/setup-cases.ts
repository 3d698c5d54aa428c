/** What a person's files are before our plugin is installed, and which are the client's own business. */
import type { ClientName } from '../install.ts';
import type { SetupCase } from './setup.ts';

export const SETUP_CASES: Readonly<Record<ClientName, SetupCase>> = {
  claude: {
    settings: { '.claude/settings.json': '{"permissions":{"deny":["Bash(git push:*)"]}}' },
    change: ['.claude/settings.json', (text) => text.replace('git push', 'mine')],
    warmUp: ['plugin', 'list'],
    // Its notes of itself, which any command of it may change.
    noise: /^\.claude\.json|^\.claude\/backups\//,
    install: [],
  },
  codex: {
    settings: {
      '.codex/config.toml': '# a comment\nmodel = "gpt-5.5"   # another\n\n[tui]\n notifications=false\n',
    },
    change: ['.codex/config.toml', (text) => text.replace('a comment', 'mine')],
    warmUp: ['plugin', 'list'],
    // Databases, logs and skills of its own; what it trusts by content, without a name.
    noise: /^\.codex\/(?:.*\.sqlite|\.tmp\/|skills\/|installation_id|\.hook-trust\/|log)/,
    install: ['--trust'],
  },
  gemini: {
    settings: {
      '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
      '.gemini/trustedFolders.json': '{"/somewhere":"TRUST_FOLDER"}',
    },
    change: ['.gemini/trustedFolders.json', (text) => text.replace('/somewhere', '/mine')],
    warmUp: ['extensions', 'list'],
    noise: /^\.gemini\/(?:installation_id|projects\.json\..*\.tmp)/,
    install: [],
  },
  opencode: {
    settings: {
      '.config/opencode/opencode.json': '{"share":"disabled"}',
      '.config/opencode/plugin/own.js': 'export const Own = async () => ({});\n',
    },
    change: ['.config/opencode/command/vibe/tasks.md', (text) => `${text}\nmine\n`],
    warmUp: ['--version'],
    noise: /^\.local\/share\/opencode\//,
    install: [],
  },
};
