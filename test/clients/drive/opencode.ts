/** opencode without a screen and without a network, by its anthropic provider. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MCP_SERVER } from '../mcp/place.ts';
import { OPENCODE_RECORDER } from '../recorder/place.ts';
import { type Driver, jsonLines } from './driver.ts';

const config = (home: string) => join(home, '.config', 'opencode');

export const opencode: Driver = {
  async setUp({ home }, url) {
    const settings = {
      $schema: 'https://opencode.ai/config.json',
      autoupdate: false,
      share: 'disabled',
      model: 'anthropic/claude-sonnet-4-5',
      small_model: 'anthropic/claude-sonnet-4-5',
      provider: {
        anthropic: {
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { 'claude-sonnet-4-5': { name: 'fake', limit: { context: 200_000, output: 8_000 } } },
        },
      },
      permission: { bash: { '*': 'allow', 'git push*': 'deny' }, edit: 'allow', webfetch: 'deny' },
      mcp: { test: { type: 'local', command: MCP_SERVER, enabled: true } },
    };
    await mkdir(config(home), { recursive: true });
    await writeFile(join(config(home), 'opencode.json'), JSON.stringify(settings, null, 2));
    // Wherever there is a plugin it waits for a package from npm, and 74 seconds where there is no network.
    await writeFile(join(home, '.npmrc'), 'registry=http://127.0.0.1:9/\nfetch-retries=0\n');
  },

  async record({ home }, file) {
    await mkdir(join(config(home), 'plugin'), { recursive: true });
    await copyFile(OPENCODE_RECORDER, join(config(home), 'plugin', 'recorder.js'));
    await writeFile(join(config(home), 'recorder-file'), file);
  },

  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),

  args: ({ prompt, resume, fork, more = [] }) => [
    'run',
    ...['--format', 'json'],
    ...(resume === undefined ? [] : ['-s', resume]),
    ...(fork ? ['--fork'] : []),
    ...more,
    prompt,
  ],

  session: (stdout) => jsonLines(stdout).find(({ sessionID }) => sessionID)?.sessionID as string | undefined,
};
