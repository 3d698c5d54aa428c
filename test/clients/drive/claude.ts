/** Claude Code without a screen and without a network. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_SERVER } from '../mcp/place.ts';
import { recorderCommand } from '../recorder/place.ts';
import { type Driver, jsonLines } from './driver.ts';

/** All that tell something of a session; what a screen alone fires is left out. */
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'StopFailure',
  'PreCompact',
  'SessionEnd',
];

const plugin = (home: string) => join(home, 'recorder');

export const claude: Driver = {
  async setUp({ home }) {
    const settings = { permissions: { deny: ['Bash(git push:*)'] } };
    await mkdir(join(home, '.claude'), { recursive: true });
    await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
    const mcpServers = { test: { command: MCP_SERVER[0], args: MCP_SERVER.slice(1) } };
    await writeFile(join(home, 'mcp.json'), JSON.stringify({ mcpServers }));
  },

  async record({ home }, file) {
    const [command, ...args] = recorderCommand('claude', file);
    const hooks = Object.fromEntries(
      EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command, args }] }]]),
    );
    await mkdir(join(plugin(home), '.claude-plugin'), { recursive: true });
    await mkdir(join(plugin(home), 'hooks'));
    const manifest = { name: 'recorder', version: '1.0.0', description: 'Writes down every event' };
    await writeFile(join(plugin(home), '.claude-plugin', 'plugin.json'), JSON.stringify(manifest));
    await writeFile(join(plugin(home), 'hooks', 'hooks.json'), JSON.stringify({ hooks }));
  },

  recording: ({ home }) => ['--plugin-dir', plugin(home)],

  env: ({ home }, url) => ({
    // It writes what sub-agents say to /tmp otherwise, whatever TMPDIR is.
    CLAUDE_CODE_TMPDIR: join(home, 'tmp'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // A user without rights is root inside `unshare`, where bypassing permissions is refused otherwise.
    IS_SANDBOX: '1',
    ENABLE_TOOL_SEARCH: 'false',
  }),

  args: ({ prompt, resume, fork, unasked, more = [] }, { home }) => [
    '-p',
    prompt,
    ...['--output-format', 'json'],
    ...(unasked ? [] : ['--dangerously-skip-permissions']),
    ...['--mcp-config', join(home, 'mcp.json')],
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...(fork ? ['--fork-session'] : []),
    ...more,
  ],

  session: (stdout) => jsonLines(stdout).at(-1)?.session_id as string | undefined,

  async transcripts({ home }, session) {
    const root = join(home, '.claude', 'projects');
    const files = await readdir(root, { recursive: true });
    return files
      .filter((file) => file.includes(session) && file.endsWith('.jsonl'))
      .map((file) => join(root, file));
  },
};
