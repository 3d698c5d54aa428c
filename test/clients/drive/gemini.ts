/** Gemini CLI without a screen and without a network. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_SERVER } from '../mcp/place.ts';
import { recorderCommand } from '../recorder/place.ts';
import { type Driver, jsonLines } from './driver.ts';

/** BeforeModel, AfterModel and BeforeToolSelection carry whole requests and tell nothing of what was done. */
const EVENTS = [
  'SessionStart',
  'BeforeAgent',
  'BeforeTool',
  'AfterTool',
  'AfterAgent',
  'PreCompress',
  'Notification',
  'SessionEnd',
];

const RULE = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "deny"
priority = 999
`;

export const gemini: Driver = {
  async setUp({ home }) {
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      model: { name: 'gemini-2.5-pro' },
      mcpServers: { test: { command: MCP_SERVER[0], args: MCP_SERVER.slice(1), trust: true } },
    };
    await mkdir(join(home, '.gemini', 'policies'), { recursive: true });
    await writeFile(join(home, '.gemini', 'settings.json'), JSON.stringify(settings, null, 2));
    await writeFile(join(home, '.gemini', 'policies', 'test.toml'), RULE);
  },

  async record({ home }, file) {
    const command = recorderCommand('gemini', file)
      .map((part) => `'${part}'`)
      .join(' ');
    const hooks = Object.fromEntries(
      EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command }] }]]),
    );
    const extension = join(home, '.gemini', 'extensions', 'recorder');
    await mkdir(join(extension, 'hooks'), { recursive: true });
    const manifest = { name: 'recorder', version: '1.0.0' };
    await writeFile(join(extension, 'gemini-extension.json'), JSON.stringify(manifest));
    await writeFile(join(extension, 'hooks', 'hooks.json'), JSON.stringify({ hooks }));
  },

  env: (_, url) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    // Otherwise it starts itself again, and a signal to the one leaves the other.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),

  args: ({ prompt, resume, unasked, more = [] }) => [
    ...['-p', prompt],
    ...['--output-format', 'stream-json'],
    ...['--approval-mode', unasked ? 'default' : 'yolo'],
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...more,
  ],

  session: (stdout) =>
    jsonLines(stdout).find(({ type }) => type === 'init')?.session_id as string | undefined,

  async transcripts({ home }, session) {
    const root = join(home, '.gemini', 'tmp');
    const files = (await readdir(root, { recursive: true })).filter((file) =>
      /chats[\\/].*\.jsonl?$/.test(file),
    );
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
    return files.filter((_, at) => texts[at]!.includes(session)).map((file) => join(root, file));
  },
};
