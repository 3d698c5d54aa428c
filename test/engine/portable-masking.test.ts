/** A task that leaves its store with likely secrets masked: nowhere in the file, and a task all the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { examineStore } from '../../src/engine/doctor/examine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { exportTask, importTask } from '../../src/engine/portable/portable.ts';
import { tempDirs } from '../support/temp.ts';
import { put } from '../workspace/ground.ts';
import { edit, editor, newRepository } from './file-world.ts';
import { untilStatus } from './letters.ts';
import { onEachStore } from './stores.ts';

const tempDir = tempDirs();

// Put together here, so that nobody who looks for secrets finds them in this file.
const MARK = 'aB3dxYz9'.repeat(5);
const TOKEN = `gh${'p_'}${MARK}`;
/** A secret by its name alone. */
const WORD = 'correct-horse-battery-1';
const LARGE = 'x'.repeat(60_000);

interface Input {
  readonly dir: string;
  readonly token: string;
  readonly password: string;
}

const careless = defineTask(
  'careless',
  async (task, { dir, token, password }: Input) => {
    await task.message('user', `My token is ${token}.`);
    await task.message('assistant', { content: [{ type: 'text', text: `${LARGE} ${token}` }] });
    await task.tool({ tool: 'curl', input: { token }, output: `${LARGE} ${token}`, status: 'success' });
    await task.decide({ what: `Use ${token}`, why: token, alternatives: [token] });
    await task.set('kept', { password, [token]: new Map([[token, new Set([token])]]) });
    const held = await task.step(`push with ${token}`, () => ({
      url: new URL(`https://me:${password}@host/x`),
      bytes: Buffer.from(`header ${token} end`),
      error: new Error(`refused ${token}`, { cause: { token } }),
      pattern: new RegExp(`^${token}$`),
      json: JSON.stringify(JSON.stringify({ password })),
      large: [LARGE, token],
      kept: 42,
    }));
    await task
      .step('fail', () => {
        throw new Error(`the remote refused ${token}`);
      })
      .catch(() => {});
    await task.step('write', () => put(dir, 'notes.txt', `token ${token}\n`), { dangerous: 'file_change' });
    const tidy = (): void => {
      put(dir, 'notes.txt', 'none\n');
      put(dir, 'plain.txt', 'after\n');
    };
    await task.step('tidy', tidy, { dangerous: 'file_change' });
    await task.progress(50, `half of ${token}`);
    const answer = await task.waitFor<string>('user_input', { prompt: `Is ${token} right?` });
    return { answer, kept: held.kept, bytes: held.bytes.length };
  },
  { version: '1' },
);

const CONFIG = { checkpoints: { blob_over_kb: 1, compress_over_kb: 40 } };

/** Everything in the file, unpacked as far as it goes. */
function everythingIn(file: string): string {
  const lines = gunzipSync(readFileSync(file)).toString();
  const inside = [...lines.matchAll(/"base64":"([^"]*)"/g)].map(([, base64]) => {
    const bytes = Buffer.from(base64!, 'base64');
    return [bytes, ...unpacked(bytes)].map((one) => one.toString('latin1')).join('\n');
  });
  const within = [...lines.matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([text]) =>
    Buffer.from(text, 'base64').toString('latin1'),
  );
  return [lines, ...inside, ...within].join('\n');
}

/** What stands there, so that a failure can be read. */
function around(file: string, secret: string): string | null {
  const everything = everythingIn(file);
  const at = everything.indexOf(secret);
  return at < 0 ? null : everything.slice(Math.max(0, at - 200), at + 100);
}

function unpacked(bytes: Buffer): Buffer[] {
  return [gunzipSync, zstdDecompressSync].flatMap((unpack) => {
    try {
      return [unpack(bytes)];
    } catch {
      return [];
    }
  });
}

onEachStore((fresh) => {
  const paused = async (config = CONFIG): Promise<{ source: Engine; id: string; dir: string }> => {
    const { dir, open } = await fresh();
    newRepository(dir, { 'plain.txt': 'before\n', '.env.sample': `API_TOKEN=${TOKEN}\n` });
    const source = await open({ tasks: [careless], workspace: true, config });
    const { id, outcome } = await source.start(
      careless,
      { dir, token: TOKEN, password: WORD },
      { task_name: `careless ${TOKEN}`, origin: { command: ['run', `--token=${TOKEN}`] } },
    );
    await untilStatus(source, id, 'waiting');
    await source.pause(id, `because of ${TOKEN}`);
    await outcome;
    await source.answer(id, `yes, ${TOKEN}`);
    return { source, id, dir };
  };

  test('it is nowhere in the file, which is a task that goes on', async () => {
    const { source, id, dir } = await paused();
    const asItIs = join(tempDir(), 'all.vibe-task');
    expect(await exportTask(source, id, asItIs)).toMatchObject({ masked: 0, withheld: [], missing: [] });
    expect(around(asItIs, MARK)).not.toBeNull();
    expect(around(asItIs, WORD)).not.toBeNull();

    const file = join(tempDir(), 'masked.vibe-task');
    const exported = await exportTask(source, id, file, { mask: true });
    expect(exported).toMatchObject({ masked: 2, missing: [] });
    expect(exported.withheld.map(({ path }) => path).sort()).toEqual(['.env.sample', 'notes.txt']);
    for (const secret of [MARK, WORD]) expect(around(file, secret)).toBeNull();
    expect(await source.state(id)).toMatchObject({ task_name: expect.stringContaining(TOKEN) });

    const to = await fresh();
    for (const name of ['plain.txt', 'notes.txt', '.env.sample'])
      put(to.dir, name, readFileSync(join(dir, name), 'utf8'));
    const target = await to.open({ tasks: [careless], workspace: true, config: CONFIG });
    expect(await importTask(target, file)).toMatchObject({ status: 'paused', entries: exported.entries });
    for await (const problem of target.storage.verify()) expect(problem).toBeNull();
    for await (const problem of examineStore(target)) expect(problem).toBeNull();
    const records = await target.checkpoints.listCheckpoints(id);
    expect(records.length).toBe((await source.checkpoints.listCheckpoints(id)).length);
    const { context } = (await target.checkpoints.loadCheckpoint(records.at(-1)!.id))!;
    expect(context.messages[0]!.content).toBe('My token is ghp_••••••.');
    expect(context.tool_outputs[0]!.output).toBe(`${LARGE} ghp_••••••`);

    const { id: fork } = await target.fork(records.at(-1)!.id);
    const resumed = await target.resume(id, { on_environment: 'continue' });
    expect(await resumed.result).toMatchObject({ answer: 'yes, ghp_••••••', kept: 42 });
    const again = join(tempDir(), 'again.vibe-task');
    expect(await exportTask(target, fork, again, { mask: true })).toMatchObject({
      tasks: [id, fork],
      withheld: expect.arrayContaining([expect.objectContaining({ path: 'notes.txt' })]),
    });
  });

  test('what was rolled back is masked too, and can be redone; records that are partly blobs as well', async () => {
    const small = { checkpoints: { ...CONFIG.checkpoints, max_size_mb: 0.001 } };
    const { source, id } = await paused(small);
    const [first] = await source.checkpoints.listCheckpoints(id);
    await source.rollback(first!.id, { only: 'state' });
    const file = join(tempDir(), 'back.vibe-task');
    const exported = await exportTask(source, id, file, { mask: true });
    expect(exported).toMatchObject({ masked: 2, missing: [] });
    for (const secret of [MARK, WORD]) expect(around(file, secret)).toBeNull();
    const to = await fresh();
    const target = await to.open({ tasks: [careless], workspace: true, config: small });
    await importTask(target, file);
    await target.redo(id);
    const last = (await target.checkpoints.listCheckpoints(id)).at(-1)!;
    expect(await target.checkpoints.loadCheckpoint(last.id)).toMatchObject({
      step_variables: { kept: { password: '••••••' } },
    });
    for await (const problem of examineStore(target)) expect(problem).toBeNull();
  });

  test('a snapshot in which a name is a secret is withheld whole', async () => {
    const { dir, open } = await fresh();
    put(dir, 'plain.txt', 'before\n');
    const source = await open({ tasks: [editor], workspace: true });
    const changes = [[`${TOKEN}.txt`, 'a\n'] as const, [`${TOKEN}.txt`, null] as const];
    const id = await edit(source, { dir, changes, end: 'pause' });
    const file = join(tempDir(), 'names.vibe-task');
    const { withheld } = await exportTask(source, id, file, { mask: true });
    expect(withheld.map((one) => one.path)).toContain(null);
    expect(around(file, MARK)).toBeNull();
  });

  test('a task whose id looks like a secret goes out as it is, or not at all', async () => {
    const { dir, open } = await fresh();
    const source = await open({ tasks: [editor] });
    const task_id = `npm${'_'}publish_the_release_of_today`;
    await (await source.start(editor, { dir, changes: [], end: 'complete' }, { task_id })).outcome;
    const file = join(tempDir(), 'id.vibe-task');
    await expect(exportTask(source, task_id, file, { mask: true })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await exportTask(source, task_id, file)).toMatchObject({ task: task_id });
  });

  test('files that were withheld are said to be, and nothing is changed without them', async () => {
    const { source, id } = await paused();
    const file = join(tempDir(), 'masked.vibe-task');
    await exportTask(source, id, file, { mask: true });
    const to = await fresh();
    put(to.dir, 'plain.txt', 'after\n');
    put(to.dir, 'notes.txt', 'none\n');
    const target = await to.open({ tasks: [careless], workspace: true, config: CONFIG });
    await importTask(target, file);
    const records = await target.checkpoints.listCheckpoints(id);
    const last = records.findLast(({ step_name }) => step_name === 'write')!;
    const attempt = target.rollback(last.id, { on_deleted: 'restore', on_modified: 'use_checkpoint' });
    await expect(attempt).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      message: expect.stringContaining('seems to contain a secret'),
      hint: expect.stringContaining('--reveal'),
    });
    expect(readFileSync(join(to.dir, 'plain.txt'), 'utf8')).toBe('after\n');
    expect(readFileSync(join(to.dir, 'notes.txt'), 'utf8')).toBe('none\n');
    // The task is not stuck in it.
    expect(await target.rollback(last.id, { only: 'state' })).toMatchObject({ done: true });
  });
});
