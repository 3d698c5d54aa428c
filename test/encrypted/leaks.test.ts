/** Nothing of what a task does can be read in what is stored: not in the files of the store, not in its database. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defineTask } from '../../src/engine/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const KEY = randomBytes(32).toString('hex');
const SECRET = `hunter2-${randomBytes(8).toString('hex')}`;

beforeEach(() => void vi.stubEnv('VIBE_ENGINE_KEY', KEY));
afterEach(() => void vi.unstubAllEnvs());

const leaky = defineTask(
  'leaky',
  async (task, input: { token: string }) => {
    await task.message('user', `My token is ${input.token}.`);
    await task.set('token', input.token);
    const read = await task.step('read', async () => ({ found: input.token, padding: 'x'.repeat(20_000) }));
    await task.tool({ tool: 'read', output: `${read.found} `.repeat(2000), status: 'success' });
    await task.files.write('notes.txt', `${input.token}\n`);
    const { stdout } = await task.shell(`echo ${input.token} > other.txt; cat notes.txt; env`);
    if (stdout.includes(KEY)) throw new Error('The command has seen the key.');
    await task.decide(`Use ${input.token}`);
    return `done with ${input.token}`;
  },
  { version: '1' },
);

/** Files below a directory that have the text, in any of the forms it could be written in. */
function holding(dir: string, text: string): string[] {
  const forms = [text, Buffer.from(text).toString('base64').slice(0, -4), Buffer.from(text).toString('hex')];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(dir, name);
    if (!statSync(file).isFile()) return false;
    const content = readFileSync(file);
    return forms.some((form) => content.includes(form));
  });
}

test.each(['json', 'sqlite'] as const)(
  '%s: a task’s secrets are nowhere in the store',
  async (storage_type) => {
    const project_dir = tempDir();
    writeFileSync(join(project_dir, 'notes.txt'), 'empty\n');
    const run = async (enabled: boolean, dir: string): Promise<string[]> => {
      const engine = await openEngine({
        ...{ project_dir: dir, tasks: [leaky], workspace: true, signals: false },
        config: { persistence: { storage_type }, encryption: { enabled } },
      });
      try {
        const { outcome } = await engine.start(leaky, { token: SECRET });
        expect((await outcome).status).toBe('completed');
        await engine.clean();
        await engine.storage.flush();
        return holding(join(dir, '.vibe-engine'), SECRET);
      } finally {
        await engine.close();
      }
    };
    expect(await run(true, project_dir)).toEqual([]);
    for (const text of [SECRET, KEY])
      expect(holding(project_dir, text)).toEqual(text === KEY ? [] : ['notes.txt', 'other.txt']);
    // The search finds it where nothing is sealed.
    const plain = tempDir();
    writeFileSync(join(plain, 'notes.txt'), 'empty\n');
    expect(await run(false, plain)).not.toEqual([]);
  },
);
