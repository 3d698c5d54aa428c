/** Codex without a screen and without a network. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_SERVER } from '../mcp/place.ts';
import { recorderCommand } from '../recorder/place.ts';
import { type Driver, jsonLines } from './driver.ts';

const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'Interrupt',
  'SessionEnd',
];

export const codex: Driver = {
  async setUp({ home, project }, url) {
    const config = `
# With a name that Codex does not know, apply_patch is not offered.
model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
apps = false
daemon_auto_start = false
[model_providers.fake]
name = "fake"
base_url = ${JSON.stringify(`${url}/v1`)}
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects.${JSON.stringify(project)}]
trust_level = "trusted"
[mcp_servers.test]
command = ${JSON.stringify(MCP_SERVER[0])}
args = ${JSON.stringify(MCP_SERVER.slice(1))}
`;
    await mkdir(join(home, '.codex', 'rules'), { recursive: true });
    await writeFile(join(home, '.codex', 'config.toml'), config);
    const rule = 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")\n';
    await writeFile(join(home, '.codex', 'rules', 'test.rules'), rule);
  },

  async record({ home }, file) {
    const command = recorderCommand('codex', file)
      .map((part) => `'${part}'`)
      .join(' ');
    const hooks = Object.fromEntries(
      EVENTS.map((event) => [event, [{ hooks: [{ type: 'command', command }] }]]),
    );
    await writeFile(join(home, '.codex', 'hooks.json'), JSON.stringify({ hooks }));
  },

  recording: () => ['--dangerously-bypass-hook-trust'],

  env: () => ({ FAKE_KEY: 'none' }),

  args: ({ prompt, resume, fork, unasked, more = [] }) => [
    'exec',
    ...(resume === undefined ? [] : [fork ? 'fork' : 'resume']),
    '--json',
    '--skip-git-repo-check',
    ...(unasked ? [] : ['--dangerously-bypass-approvals-and-sandbox']),
    ...more,
    ...(resume === undefined ? [] : [resume]),
    prompt,
  ],

  session: (stdout) =>
    jsonLines(stdout).find(({ type }) => type === 'thread.started')?.thread_id as string | undefined,

  async transcripts({ home }, session) {
    const root = join(home, '.codex', 'sessions');
    const files = await readdir(root, { recursive: true });
    return files
      .filter((file) => file.includes(session) && file.endsWith('.jsonl'))
      .map((file) => join(root, file));
  },
};
