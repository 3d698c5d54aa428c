/** One campaign in a process of its own: options as JSON in, progress on standard error, the report as JSON out. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CAMPAIGNS } from './campaigns.ts';
import type { CampaignOptions, Report } from './report.ts';
import { KEY_VARIABLE } from './stores.ts';

export type RunOptions = Omit<CampaignOptions, 'progress'> & {
  readonly campaign: string;
  /** Every store in it seals what it stores. */
  readonly encrypted?: boolean;
};

/** At most two run at once: each keeps a core busy and starts processes of its own. */
let free = 2;
const waiting: (() => void)[] = [];

/** Aborted, or left by a process that ends, it leaves no process behind. */
export async function runCampaign(
  options: RunOptions,
  progress?: (line: string) => void,
  signal?: AbortSignal,
): Promise<Report> {
  if (free > 0) free--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    signal?.throwIfAborted();
    return await runAlone(options, progress, signal);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }
}

async function runAlone(
  options: RunOptions,
  progress: ((line: string) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<Report> {
  const self = fileURLToPath(import.meta.url);
  const { encrypted, ...own } = options;
  const env = { ...process.env, ...(encrypted ? { [KEY_VARIABLE]: randomBytes(32).toString('hex') } : {}) };
  const child = spawn(process.execPath, [self, JSON.stringify(own)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
  });
  const kill = () => child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  let out = '';
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    log = (log + chunk).slice(-20_000);
    for (const line of chunk.trimEnd().split('\n')) progress?.(line);
  });
  await once(child, 'close');
  signal?.removeEventListener('abort', kill);
  signal?.throwIfAborted();
  if (child.exitCode !== 0) throw new Error(`The campaign ${options.campaign} broke down:\n${log}`);
  return JSON.parse(out) as Report;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Nobody writes to it: it ends with the process that waits for the report.
  process.stdin.on('end', () => process.exit(1)).resume();
  // The processes it kills read the same sources thousands of times.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 've-compile-cache');
  const { campaign, ...options } = JSON.parse(process.argv[2]!) as RunOptions;
  const { run } = CAMPAIGNS.find(({ name }) => name === campaign)!;
  const report = await run({ ...options, progress: (line) => console.error(line) });
  console.log(JSON.stringify(report));
  process.stdin.destroy();
}
