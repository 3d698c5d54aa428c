/** A Restate server of its own, with its settings as delivered, on free ports of the loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesIn, type OpenAPlace } from './local.ts';

const START_LIMIT_MS = 120_000;

export const onRestateServer: OpenAPlace = async (scratch, installed) => {
  const directory = scratch.fresh('restate');
  mkdirSync(directory);
  const [node, ingress, adminPort, port] = await freePorts(4);
  const url = `http://127.0.0.1:${ingress}`;
  const admin = `http://127.0.0.1:${adminPort}`;
  const server = spawn(binaryIn(installed), ['--no-logo', '--base-dir', directory], {
    stdio: 'ignore',
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(node),
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${adminPort}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
  });
  const stop = stopping(server);
  try {
    await healthy(server, `${admin}/health`);
    await healthy(server, `${url}/restate/health`);
  } catch (error) {
    await stop();
    throw error;
  }
  const bytes = async () => bytesIn(directory);
  return { installed, directory, variant: '', url, admin, port: port!, bytes, remove: stop };
};

function binaryIn(installed: string): string {
  const { resolve } = createRequire(join(installed, 'package.json'));
  return resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}

/** It ends with this process, however that ends. */
function stopping(server: ChildProcess): () => Promise<void> {
  const kill = () => void server.kill('SIGKILL');
  const dismissGuard = guard(server);
  return async () => {
    dismissGuard();
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    kill();
    await gone;
  };
}

/** Waits for its input to end, which the kernel sees to when this process is gone; then it kills the server. */
function guard({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => {};
  const script = 'cat > /dev/null; kill -9 "$1"';
  const shell = spawn('/bin/sh', ['-c', script, 'guard', String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  return () => {
    shell.kill('SIGKILL');
    shell.stdin.destroy();
  };
}

async function healthy(server: ChildProcess, url: string): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  while (performance.now() < end) {
    if (server.exitCode !== null) throw new Error(`The server ended with status ${server.exitCode}.`);
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`The server did not answer within ${START_LIMIT_MS / 1000} s.`);
}

/** All open at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}
