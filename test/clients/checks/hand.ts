/** The plugin that lies in the package, installed by hand with the client's own commands, as docs/agents/claude.md says it. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN, type Shown, type Task } from '../hooked.ts';
import { setStage } from '../stage.ts';
import type { Check } from './check.ts';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url));

export const hand: Check = {
  name: 'hand',
  async *run(client) {
    if (client !== 'claude') {
      yield { part: 'marketplace', problems: [], skipped: 'only Claude Code is installed by hand' };
      return;
    }
    const script = {
      write: [{ calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] }, { text: 'Done.' }],
    } as const;
    await using stage = await setStage(client, () => script, { record: false });
    // As after `npm install vibe-engine`.
    const modules = join(stage.place.project, 'node_modules');
    mkdirSync(join(modules, '.bin'), { recursive: true });
    symlinkSync(PACKAGE, join(modules, 'vibe-engine'));
    symlinkSync(MAIN, join(modules, '.bin', 'vibe-engine'));
    await appendFile(join(stage.place.project, '.git', 'info', 'exclude'), 'node_modules\n');
    const plugin = async (...args: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await stage.own('plugin', ...args);
      return code === 0 ? [] : [`claude plugin ${args.join(' ')}: ${stdout}${stderr}`];
    };
    yield {
      part: 'marketplace',
      problems: [
        ...(await plugin('marketplace', 'add', join(modules, 'vibe-engine', 'plugins', 'marketplace'))),
        ...(await plugin('install', 'vibe@vibe-engine')),
      ],
    };
    await stage.ask('[[write]] Do it.');
    const vibe = async <T>(...args: string[]): Promise<T> => {
      const { stdout } = await stage.other(process.execPath, MAIN, ...args, '--json');
      return (JSON.parse(stdout) as { data: T }).data;
    };
    const { tasks } = await vibe<{ tasks: readonly Task[] }>('tasks');
    const shown = tasks.length === 1 ? await vibe<Shown>('show', tasks[0]!.id) : null;
    const calls = shown?.history.steps.map(({ name, status }) => `${name} ${status}`).join();
    yield {
      part: 'a session',
      problems: [
        ...(tasks.length === 1 ? [] : [`there are ${tasks.length} tasks`]),
        ...(calls === 'tool:Write success' ? [] : [`its calls are ${calls}`]),
        ...(shown?.files.changed.join() === 'a.txt' ? [] : [`its files are ${shown?.files.changed.join()}`]),
      ],
    };
    yield {
      part: 'removed',
      problems: [
        ...(await plugin('uninstall', 'vibe@vibe-engine')),
        ...(await plugin('marketplace', 'remove', 'vibe-engine')),
      ],
    };
  },
};
