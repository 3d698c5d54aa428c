/** `ui` as a process: one address, a browser that is given no key, an end by Ctrl-C. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { ui as uiVerb } from '../../src/cli/dashboard/ui.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { misfits } from '../verbs/shapes.ts';
import { command, MAIN, quiet } from './cli.ts';

const tempDir = tempDirs();
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Ui {
  readonly child: ChildProcess;
  readonly address: string;
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

async function ui(args: readonly string[], env: NodeJS.ProcessEnv = {}, dir = tempDir()): Promise<Ui> {
  const child = spawn(process.execPath, [MAIN, 'ui', ...args], {
    cwd: dir,
    env: { ...process.env, BROWSER: '', CI: '1', LANG: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  child.stderr.on('data', (part) => {
    text += part;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const address = await until(() => {
    const found = /http:\/\/\S+/.exec(text)?.[0];
    expect(found, text).toBeDefined();
    return found!;
  });
  return { child, address, said: () => text, ended };
}

test('prints one address, serves the page, and ends by Ctrl-C', async () => {
  const dir = tempDir();
  const { child, address, said, ended } = await ui(['--port', '0', '--no-open', '--read-only'], {}, dir);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]{43}$/);
  expect(said().match(/http:/g)).toHaveLength(1);
  await until(() => expect(said()).toContain('nothing can be changed'));
  const page = await (await fetch(address)).text();
  expect(page).toContain('<script type="module" src="/app.js">');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(readdirSync(dir), 'a look leaves nothing behind').toEqual([]);
  await expect(fetch(address)).rejects.toThrow();
});

test('at its end it answers as it says', async () => {
  const port = await freePort();
  const args = [MAIN, 'ui', '--json', '--no-open', '--port', String(port)];
  const child = spawn(process.execPath, args, { cwd: tempDir(), stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  const out = text(child.stdout);
  await until(() => fetch(`http://127.0.0.1:${port}/`));
  child.kill('SIGINT');
  const { data } = JSON.parse(await out) as { data: { port: number } };
  expect(misfits(data, uiVerb.data)).toEqual([]);
  expect(data.port).toBe(port);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test('the browser is given a file, not the key: nobody finds it among the processes', async () => {
  const dir = tempDir();
  const browser = join(dir, 'browser');
  const seen = join(dir, 'seen');
  const script = [
    '#!/bin/sh',
    `stat -c %a "$1" > ${seen}.mode`,
    `cp "$1" ${seen}.page`,
    `printf '%s' "$1" > ${seen}.file`,
    `for one in /proc/[0-9]*; do tr '\\0' ' ' < $one/cmdline; tr '\\0' ' ' < $one/environ; done > ${seen}.processes 2>/dev/null`,
    `mv ${seen}.processes ${seen}`,
  ];
  writeFileSync(browser, script.join('\n'));
  chmodSync(browser, 0o700);
  const { address, child, ended } = await ui(['--port', '0'], { BROWSER: browser, CI: '' });
  const key = new URL(address).hash.slice('#key='.length);
  await until(() => expect(existsSync(seen)).toBe(true));
  expect(readFileSync(`${seen}.mode`, 'utf8').trim()).toBe('600');
  expect(readFileSync(`${seen}.page`, 'utf8')).toContain(address);
  const processes = readFileSync(seen, 'utf8');
  expect(processes).toContain(browser);
  expect(processes).not.toContain(key);
  const file = readFileSync(`${seen}.file`, 'utf8');
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  await fetch(new URL('/api/session', address), { headers: { authorization: `Bearer ${key}` } });
  await until(() => expect(existsSync(file)).toBe(false));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('a port that is taken: the next one, unless it was asked for', async () => {
  const first = await ui(['--no-open']);
  const second = await ui(['--no-open']);
  const ports = [first, second].map(({ address }) => Number(new URL(address).port));
  expect(ports[1]).not.toBe(ports[0]);
  const refused = await command(tempDir(), ['ui', '--no-open', '--port', `${ports[0]}`]);
  expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining(`Port ${ports[0]} is in use.`)]);
  const none = await quiet(tempDir(), ['ui', '--no-open', '--port', '99999']);
  expect([none.exit, none.err]).toEqual([2, expect.stringContaining('from 0 to 65535')]);
});

test('another address needs the names that it is reached by, and is read-only', async () => {
  const refused = await quiet(tempDir(), ['ui', '--no-open', '--host', '0.0.0.0']);
  expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining('--allow-host')]);
  const { address, said } = await ui([
    '--port',
    '0',
    '--no-open',
    '--host',
    '0.0.0.0',
    '--allow-host',
    'box.test',
  ]);
  const { port, hash } = new URL(address);
  expect(address).toMatch(/^http:\/\/box\.test:/);
  await until(() => expect(said()).toContain('nothing can be changed'));
  const key = hash.slice('#key='.length);
  const as = async (host: string): Promise<number> => {
    const { exchange } = await import('../dashboard/raw.ts');
    const head = ['GET /api/session HTTP/1.1', `Host: ${host}:${port}`, `Authorization: Bearer ${key}`];
    return (await exchange(Number(port), head)).status;
  };
  expect(await as('box.test')).toBe(200);
  expect(await as('127.0.0.1')).toBe(421);
  expect(await as('0.0.0.0')).toBe(421);
});
