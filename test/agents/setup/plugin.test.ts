/** The files of the plugins: those in the package are as the code makes them, and those that run do. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TOOLS } from '../../../src/agents/for-models.ts';
import { writeDirectory } from '../../../src/agents/setup/directory.ts';
import { BY_NPX } from '../../../src/agents/setup/plugin/host.ts';
import { marketplaceFiles } from '../../../src/agents/setup/plugin/marketplace.ts';
import { hostOf, OPENCODE_PLUGIN, opencodeFiles } from '../../../src/agents/setup/plugin/opencode.ts';
import { commandHook, scriptText } from '../../../src/agents/setup/plugin/script.ts';
import { socketPath } from '../../../src/agents/socket-path.ts';
import { serveAt } from '../../../src/system/process/local-service.ts';
import { tempDirs } from '../../support/temp.ts';

const tempDir = tempDirs();

test('the marketplace in the package is as the code makes it', () => {
  const dir = fileURLToPath(new URL('../../../plugins/marketplace/', import.meta.url));
  const files = marketplaceFiles({ program: BY_NPX, claude: null, codex: null });
  if (process.env.UPDATE_PLUGINS) writeDirectory(dir, files);
  expect(contentsOf(dir), 'made by UPDATE_PLUGINS=1 npx vitest run test/agents/setup').toEqual(files);
});

test('a directory has exactly the files it is given', () => {
  const dir = tempDir();
  writeDirectory(dir, { 'a.json': '1', 'b/run.sh': 'x' });
  writeDirectory(dir, { 'a.json': '2', 'c.json': '3' });
  expect(contentsOf(dir)).toEqual({ 'a.json': '2', 'c.json': '3' });
  writeDirectory(dir, { 'run.sh': 'x' });
  expect(statSync(join(dir, 'run.sh')).mode & 0o777).toBe(0o700);
});

test('no command runs a line with what a person has not typed in it', () => {
  const files = marketplaceFiles({ program: BY_NPX, claude: null, codex: null });
  for (const [path, text] of Object.entries(files).filter(([path]) => /\.md$/.test(path)))
    for (const [, line] of text.matchAll(/`(npx [^`]*)`/g))
      expect(line, path).toMatch(/^npx vibe-engine \w+$/);
});

test('only strict hooks start a program', () => {
  const hooks = (claude: string | null) => {
    const files = marketplaceFiles({ program: BY_NPX, claude, codex: null });
    return JSON.parse(files['vibe/hooks/hooks.json']!).hooks as Record<
      string,
      [{ hooks: [{ type: string }] }]
    >;
  };
  const types = (claude: string | null) =>
    Object.values(hooks(claude)).map(
      ([
        {
          hooks: [hook],
        },
      ]) => hook.type,
    );
  expect(new Set(types(null))).toEqual(new Set(['mcp_tool']));
  expect(types('/x/hook.sh').filter((type) => type === 'command')).toHaveLength(1);
  expect(hooks('/x/hook.sh').PreToolUse?.[0].hooks[0]).toMatchObject({ type: 'command', onFailure: 'block' });
});

describe('the script', () => {
  /** As a client starts it: by a shell of its own. */
  interface How {
    readonly hasty?: Readonly<Record<string, string>>;
    readonly PATH?: string;
  }
  const HASTY = { 'limit=10': 'limit=2', 'tries = 80': 'tries = 10' };
  const run = async (runtime: string, flags: readonly string[], input: string, how: How = {}) => {
    const { hasty = HASTY, PATH = process.env.PATH } = how;
    const script = join(tempDir(), 'hook.sh');
    const text = Object.entries(hasty).reduce((all, [was, is]) => all.replace(was, is), scriptText(BY_NPX));
    writeFileSync(script, text);
    const child = spawn('sh', ['-c', commandHook(`'${script}'`, 'gemini', flags)], {
      env: { PATH, XDG_RUNTIME_DIR: runtime },
    });
    child.stdin.end(input);
    return await ended(child);
  };

  const serve = async (runtime: string, answer: (body: string) => string | null) => {
    const path = socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime });
    mkdirSync(join(path, '..'), { recursive: true });
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      const said = answer(body);
      response.writeHead(said === null ? 400 : 200).end(said);
    }).listen(path);
    await once(server, 'listening');
    return server;
  };

  test('hands the event to the host of its client, and prints the answer', async () => {
    const runtime = tempDir();
    const event = JSON.stringify({ text: 'x'.repeat(3_000_000) });
    const server = await serve(runtime, (body) => JSON.stringify({ length: body.length }));
    expect(await run(runtime, [], event)).toEqual({ code: 0, out: `{"length":${event.length}}\n`, err: '' });
    server.close();
  });

  test('does the same by Node where there is no perl', async () => {
    const [runtime, PATH] = [tempDir(), tempDir()];
    for (const name of ['sh', 'cat']) {
      const at = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
      symlinkSync(at, join(PATH, name));
    }
    const program = `${process.execPath} ${fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url))}`;
    const how = { PATH, hasty: { 'npx vibe-engine': program, 'limit=10': 'limit=2' } };
    const server = await serve(runtime, (body) => (body === '{}' ? '{"answer":42}' : null));
    expect(await run(runtime, [], '{}', how)).toMatchObject({ code: 0, out: '{"answer":42}\n' });
    expect(await run(runtime, ['--strict'], '[]', how)).toMatchObject({ code: 2, out: '' });
    await new Promise((resolve) => server.close(resolve));
    const silent = createServer(() => {}).listen(
      socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime }),
    );
    await once(silent, 'listening');
    expect(JSON.parse((await run(runtime, [], '{}', how)).out)).toHaveProperty('systemMessage');
    silent.closeAllConnections();
    silent.close();
  });

  test('says nothing where there is no host, and refuses if it is strict', async () => {
    const runtime = tempDir();
    expect(await run(runtime, [], '{}')).toEqual({ code: 0, out: '', err: '' });
    expect(await run(runtime, ['--strict'], '{}')).toMatchObject({ code: 2, out: '' });
  });

  test('keeps the event while a host that has died is started again', async () => {
    const runtime = tempDir();
    const path = socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime });
    const server = await serve(runtime, (body) => body);
    renameSync(path, `${path}.later`);
    const dead = await serve(runtime, () => null);
    linkSync(path, `${path}.left`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${path}.left`, path); // Nobody listens there.
    const tried = join(runtime, 'tried');
    const answer = run(runtime, [], '{"event":1}', {
      hasty: { 'exit 7 unless $tries--': `open my $f, ">", "${tried}"; exit 7 unless $tries--` },
    });
    await expect.poll(() => existsSync(tried)).toBe(true);
    renameSync(`${path}.later`, path);
    expect(await answer).toEqual({ code: 0, out: '{"event":1}\n', err: '' });
    server.close();
  });

  test('waits again for a host that hung once it has answered', async () => {
    const runtime = tempDir();
    const path = socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime });
    const awake = Promise.withResolvers<void>();
    const service = await serveAt(path, () => awake.promise.then(() => ({ answer: 42 })));
    expect(JSON.parse((await run(runtime, [], '{}')).out)).toHaveProperty('systemMessage');
    expect(existsSync(`${path}.hung`)).toBe(true);
    awake.resolve();
    await expect.poll(() => existsSync(`${path}.hung`)).toBe(false);
    expect(await run(runtime, [], '{}')).toMatchObject({ code: 0, out: '{"answer":42}\n' });
    await service!.close();
  });

  test('does not wait again for a host that cannot be started again', async () => {
    const runtime = tempDir();
    const path = socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime });
    const dead = await serve(runtime, () => null);
    linkSync(path, `${path}.left`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${path}.left`, path);
    expect(JSON.parse((await run(runtime, [], '{}')).out)).toHaveProperty('systemMessage');
    expect(await run(runtime, [], '{}', { hasty: {} })).toEqual({ code: 0, out: '', err: '' });
  });

  test('does not wait again for a host that hung, and tells the person once', async () => {
    const runtime = tempDir();
    let asked = 0;
    const path = socketPath('gemini', process.pid, { XDG_RUNTIME_DIR: runtime });
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    const server = createServer(() => {
      asked += 1;
    }).listen(path);
    await once(server, 'listening');
    const first = await run(runtime, [], '{}');
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toEqual({ systemMessage: expect.stringContaining('does not answer') });
    expect(await run(runtime, [], '{}')).toEqual({ code: 0, out: '', err: '' });
    expect(await run(runtime, ['--strict'], '{}')).toMatchObject({ code: 2, out: '' });
    expect(asked).toBe(1);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    // Another one is asked again.
    const service = await serveAt(path, async () => ({ answer: 42 }));
    expect(await run(runtime, [], '{}')).toMatchObject({ code: 0, out: '{"answer":42}\n' });
    await service!.close();
  });

  test('says nothing where the host fails, and refuses if it is strict', async () => {
    const runtime = tempDir();
    const server = await serve(runtime, () => null);
    expect(await run(runtime, [], '{}')).toEqual({ code: 0, out: '', err: '' });
    expect(await run(runtime, ['--strict'], '{}')).toMatchObject({ code: 2, out: '' });
    server.close();
  });
});

describe('the plugin for opencode', () => {
  const HOST = `
    import { createInterface } from 'node:readline';
    let late;
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const { tool, session_id, agent_id } = params.arguments ?? {};
      const own = params.name !== 'hook' && params.name + ' for ' + params._meta?.threadId;
      if (tool === 'die') process.exit(1);
      if (tool === 'hang') return void (late = id);
      if (late !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: late, result: {} }));
      late = undefined;
      const said = tool === 'write' ? { deny: session_id + ' ' + agent_id } : { context: 'news' };
      const result = method === 'initialize' ? {} : { content: [{ type: 'text', text: own || JSON.stringify(said) }] };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });`;

  type Hooks = Readonly<Record<string, (input: unknown, output?: unknown) => Promise<void>>>;
  const load = async (strict: boolean, limit = '10_000', told: unknown[] = []): Promise<Hooks> => {
    const dir = tempDir();
    writeFileSync(join(dir, 'host.mjs'), HOST);
    const text = opencodeFiles([process.execPath, join(dir, 'host.mjs')], strict)[OPENCODE_PLUGIN]!;
    const flags = strict ? ['--socket', '--strict'] : [];
    expect(hostOf(text)).toEqual([
      process.execPath,
      join(dir, 'host.mjs'),
      'agent-host',
      'opencode',
      ...flags,
    ]);
    writeFileSync(join(dir, 'plugin.mjs'), text.replace('hook: 10_000', `hook: ${limit}`));
    const { Vibe } = await import(join(dir, 'plugin.mjs'));
    const tui = { showToast: async (one: unknown) => told.push(one) };
    return await Vibe({ directory: dir, client: { tui } });
  };
  const callOf = (hooks: Hooks, tool: string, sessionID = 's') =>
    hooks['tool.execute.before']!({ tool, sessionID, callID: 'c' }, { args: {} });

  test('denies by throwing, under the session that the sub-agent belongs to', async () => {
    const hooks = await load(false);
    await hooks.event!({
      event: { type: 'session.created', properties: { info: { id: 'child', parentID: 's' } } },
    });
    await expect(callOf(hooks, 'read')).resolves.toBeUndefined();
    await expect(callOf(hooks, 'write', 'child')).rejects.toThrow('s child');
    await hooks.dispose!({});
  });

  test('offers our tools to the model, for the session that asks', async () => {
    const hooks = await load(false);
    await hooks.event!({
      event: { type: 'session.created', properties: { info: { id: 'child', parentID: 's' } } },
    });
    const tools = hooks.tool as unknown as Readonly<Record<string, { args: object; execute: Hooks[string] }>>;
    expect(Object.keys(tools)).toEqual(TOOLS.map(({ name }) => `vibe_${name}`));
    expect(tools.vibe_rewind!.args).toMatchObject({ checkpoint: { type: 'string' } });
    expect(await tools.vibe_redo!.execute({}, { sessionID: 'child' })).toBe('redo for s');
    await hooks.dispose!({});
  });

  test('tells the model what it is to know', async () => {
    const hooks = await load(false);
    const parts = [{ type: 'text', text: 'hello' }];
    await hooks['chat.message']!({ sessionID: 's' }, { message: { id: 'm' }, parts });
    const system: string[] = [];
    await hooks['experimental.chat.system.transform']!({ sessionID: 's' }, { system });
    const result = { output: 'done' };
    await hooks['tool.execute.after']!({ tool: 'read', sessionID: 's', callID: 'c' }, result);
    expect([system, result]).toEqual([['news'], { output: 'done\n\nnews' }]);
    await hooks.dispose!({});
  });

  test('lets a call run when the host dies, and starts another', async () => {
    const hooks = await load(false);
    await expect(callOf(hooks, 'die')).resolves.toBeUndefined();
    await expect(callOf(hooks, 'write')).rejects.toThrow('s undefined');
    await hooks.dispose!({});
  });

  test('does not wait again for a host that hung, and tells the person once', async () => {
    const told: unknown[] = [];
    const hooks = await load(false, '2_000', told);
    await expect(callOf(hooks, 'hang')).resolves.toBeUndefined();
    // It would refuse this one.
    await expect(callOf(hooks, 'write')).resolves.toBeUndefined();
    // A tool of ours is asked for all the same, and its answer shows that the host is awake.
    const tools = hooks.tool as unknown as Readonly<Record<string, { execute: Hooks[string] }>>;
    expect(await tools.vibe_redo!.execute({}, { sessionID: 's' })).toBe('redo for s');
    await expect(callOf(hooks, 'write')).rejects.toThrow('s undefined');
    expect(told).toMatchObject([{ body: { message: expect.stringContaining('does not answer') } }]);
    await hooks.dispose!({});
  });

  test('refuses a call when the host dies, if it is strict', async () => {
    const hooks = await load(true);
    await expect(callOf(hooks, 'die')).rejects.toThrow('--strict');
    await hooks.dispose!({});
  });
});

async function ended(child: ChildProcess): Promise<{ code: number; out: string; err: string }> {
  const [out, err, [code]] = await Promise.all([
    child.stdout!.toArray(),
    child.stderr!.toArray(),
    once(child, 'close') as Promise<[number]>,
  ]);
  return { code, out: out.join(''), err: err.join('') };
}

function contentsOf(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(dir.length).replace(/^\//, ''), readFileSync(path, 'utf8')]),
  );
}
