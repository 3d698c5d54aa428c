/** One command, with every program it starts and every address it contacts, its children included. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface Seen {
  readonly programs: readonly { readonly path: string; readonly line: string }[];
  readonly addresses: readonly string[];
  readonly exit: number | null;
}

/** Why it cannot be watched here; null where it can. */
export function unwatchable(): string | null {
  const { error, status } = spawnSync('strace', ['-qq', '-e', 'trace=execve', '-o', '/dev/null', 'true']);
  if (error) return 'there is no strace here';
  return status === 0 ? null : 'strace may not look at processes here';
}

const LONGEST_MS = 60_000;

export async function watched(
  command: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Seen> {
  const dir = mkdtempSync(join(tmpdir(), 've-strace-'));
  const trace = join(dir, 'trace');
  const args = ['-f', '--seccomp-bpf', '-qq', '-s', '400', '-e', 'trace=execve,connect', '-o', trace];
  try {
    const child = spawn('strace', [...args, ...command], { cwd, env, stdio: 'ignore' });
    const limit = setTimeout(() => child.kill('SIGTERM'), LONGEST_MS);
    const exit = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(limit);
    return { ...read(readFileSync(trace, 'utf8')), exit };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function read(trace: string): Pick<Seen, 'programs' | 'addresses'> {
  const programs: { path: string; line: string }[] = [];
  const addresses: string[] = [];
  for (const line of trace.split('\n')) {
    const started = /execve\("([^"]*)"/.exec(line);
    // One that is not there was looked for along the path.
    if (started && !/= -1 E/.test(line)) programs.push({ path: started[1]!, line });
    const reached = /connect\(\d+, \{sa_family=(AF_\w+),? ?(.*?)\}/.exec(line);
    if (reached) addresses.push(`${reached[1]} ${reached[2]}`);
  }
  return { programs, addresses: addresses.filter((one) => !HARMLESS.test(one)) };
}

/** Where the C library asks who a user is. */
const HARMLESS = /^AF_UNIX sun_path="\/(?:var\/)?run\/nscd\/socket"/;

/** Ourselves, git with what belongs to it, and the system's own copier, which keeps attributes. */
export function isExpected(path: string): boolean {
  if (path === '/bin/cp') return true;
  return path === process.execPath || basename(path) === 'git' || /\/git-core\/[\w-]+$/.test(path);
}
