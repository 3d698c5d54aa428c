/** A session from its first hook to its last; on the way its host, its client or both are killed, and it goes on. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Broken } from '../../crash/oracle.ts';
import type { Site } from '../ground.ts';
import type { Point } from '../trap.ts';
import { GO, type HostJob, type HostSaid } from './host.ts';
import { type Act, afterDeath, SCRIPT } from './script.ts';

/** `host`: the client goes on with its next hook. The others: a person starts the client again, with another prompt. */
export type Victim = 'host' | 'client' | 'both';

export interface Told {
  readonly act: Act;
  readonly answered: boolean;
  readonly answer: unknown;
  /** Its tool has done its work. */
  readonly worked: boolean;
}

export interface SessionLife {
  readonly told: readonly Told[];
  readonly killed: boolean;
  /** What the first host passed, where it was not killed. */
  readonly passed: readonly Point[];
  /** What hosts complained of that nobody had killed. */
  readonly problems: readonly string[];
}

export interface SessionOptions {
  readonly site: Site;
  readonly project_dir: string;
  readonly cache: string;
  readonly kill: Point | null;
  readonly victim: Victim;
}

export async function liveSession(options: SessionOptions): Promise<SessionLife> {
  const { project_dir: dir, victim } = options;
  const told: Told[] = [];
  const problems: string[] = [];
  let host = startHost(options, options.kill);
  let killed = false;
  let passed: readonly Point[] = [];
  const again = async (): Promise<void> => {
    killed = true;
    await host.end();
    host = startHost(options, null);
  };
  let left = SCRIPT;
  const note = (act: Act, answered: boolean, answer: unknown, lives: boolean): void => {
    if (lives) act.then?.(dir);
    act.meanwhile?.(dir);
    told.push({ act, answered, answer, worked: lives && act.then !== undefined });
  };
  for (let i = 0; i < left.length; i++) {
    const act = left[i]!;
    if (host.isDead()) await again();
    const said = await host.ask({ ...act.payload, cwd: dir });
    if (said.type === 'answer') note(act, true, said.answer, true);
    else {
      await again();
      note(act, false, null, victim === 'host');
      if (victim === 'host') continue;
      left = afterDeath(SCRIPT.indexOf(act));
      i = -1;
    }
    problems.push(...host.problems());
  }
  const end = await host.end();
  if (end === 'killed') await again().then(() => host.end());
  else passed = end;
  return { told, killed: killed || end === 'killed', passed, problems };
}

/** So long means that it hangs. */
const PATIENCE_MS = 600_000;
const HOST = fileURLToPath(new URL('host.ts', import.meta.url));

type Answer = Extract<HostSaid, { type: 'answer' }> | { readonly type: 'died' };

interface Process {
  ask(payload: object): Promise<Answer>;
  /** Between two hooks. */
  isDead(): boolean;
  problems(): string[];
  /** Ends its input; what it passed, or that it was killed. */
  end(): Promise<readonly Point[] | 'killed'>;
}

function startHost({ site, project_dir, cache, victim }: SessionOptions, kill: Point | null): Process {
  const job: HostJob = {
    place: site.place,
    project_dir,
    kill,
    dies: victim === 'client' ? 'client' : 'host',
  };
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', HOST, JSON.stringify(job)],
    {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? cache },
    },
  );
  const go = child.stdio[GO] as NodeJS.WritableStream;
  let errors = '';
  let dead = false;
  let hung = false;
  let passed: readonly Point[] | undefined;
  const found: string[] = [];
  let waiting = Promise.withResolvers<Answer>();
  const die = (): void => {
    dead = true;
    waiting.resolve({ type: 'died' });
  };
  const patience = setTimeout(() => {
    hung = true;
    child.kill('SIGKILL');
  }, PATIENCE_MS);
  for (const stream of [child.stdin, go]) stream.on('error', () => {}); // Of one that was killed.
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(0, 4000);
  });
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const said = JSON.parse(line) as HostSaid;
    if (said.type === 'answer' && !dead) waiting.resolve(said);
    else if (said.type === 'problem' && !dead) found.push(said.problem);
    else if (said.type === 'done') passed = said.passed;
    else if (said.type === 'at') {
      child.stdin!.end(() => go.write('.'));
      die();
    }
  });
  const closed = new Promise<readonly Point[] | 'killed'>((resolve, reject) => {
    child.once('close', (code, signal) => {
      clearTimeout(patience);
      die();
      if (hung) reject(new Broken(`a host did not end in ${PATIENCE_MS} ms: ${errors}`));
      else if (signal === 'SIGKILL') resolve('killed');
      else if (code === 0 && passed) resolve(passed);
      else reject(new Broken(`a host ended with ${code ?? signal}: ${errors}`));
    });
  });
  closed.catch(() => {}); // Awaited at its end.
  return {
    ask(payload) {
      waiting = Promise.withResolvers<Answer>();
      if (dead) waiting.resolve({ type: 'died' });
      child.stdin!.write(`${JSON.stringify(payload)}\n`);
      return waiting.promise;
    },
    isDead: () => dead,
    problems: () => found.splice(0),
    end() {
      child.stdin!.end();
      return closed;
    },
  };
}
