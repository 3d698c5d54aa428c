/** `vibe-engine demo`: a real task in a real process, killed in the middle, found again and finished. */
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { VibeError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { createStorageFromConfig } from '../storage/factory.ts';
import { loadState } from '../storage/state-records.ts';
import { startNode } from '../system/child.ts';
import { ensureDir, removeTree } from '../system/files.ts';
import { newId, newTaskId } from '../system/ids.ts';
import { type Call, verb } from '../verbs/kit/verb.ts';
import { expectedResult, recordedSteps, runSteps, STEPS, type StepEntry } from './demo-task.ts';

export const demo = verb({
  name: 'demo',
  group: 'run',
  summary: 'demo.summary',
  options: {
    storage: { value: 'type', choices: ['json', 'sqlite'], about: 'demo.option.storage' },
    keep: { about: 'demo.option.keep' },
  },
  examples: ['demo', 'demo --storage sqlite --keep'],
  data: { result: 'string', folder: 'string|null' },
  async run(call) {
    const { keep, storage = 'json' } = call.options;
    const folder = join(tmpdir(), newId('vibe-engine-demo-'));
    ensureDir(folder);
    try {
      const result = await runDemo(folder, storage, call);
      return { data: { result, folder: keep ? folder : null }, lines: [] };
    } finally {
      if (keep) call.tell(call.say('demo.kept', { path: folder }));
      else removeTree(folder);
    }
  },
});

type Teller = Pick<Call, 'say' | 'tell'>;

async function runDemo(folder: string, storage_type: string, context: Teller): Promise<string> {
  const task = newTaskId();
  const acknowledged = await runAndKill(folder, storage_type, task, context);
  const storage = await createStorageFromConfig({ persistence: { storage_type } }, { project_dir: folder });
  try {
    await checkNothingLost(storage, task, acknowledged, context);
    return await finish(storage, task, context);
  } finally {
    await storage.close();
  }
}

/** Runs the task in a process of its own and kills that at a random instant; answers the steps it acknowledged. */
async function runAndKill(
  folder: string,
  storage: string,
  task: string,
  context: Teller,
): Promise<StepEntry[]> {
  const { say, tell } = context;
  const script = fileURLToPath(new URL(`./demo-child${extname(import.meta.url)}`, import.meta.url));
  const child = await startNode(script, [folder, storage, task]);
  tell(say('demo.start', { steps: STEPS, pid: child.pid, storage }));
  const killAfter = 4 + Math.floor(Math.random() * 5);
  const acknowledged: StepEntry[] = [];
  for await (const line of child.lines) {
    const entry = JSON.parse(line) as StepEntry;
    acknowledged.push(entry);
    tell(say('demo.step', { ...entry, steps: STEPS }));
    if (entry.step === killAfter) void sleep(Math.random() * 55).then(() => child.kill('SIGKILL'));
  }
  const { code, signal, errors } = await child.ended;
  if (signal !== 'SIGKILL')
    throw failure(context, say('demo.child_failed', { reason: errors.trim() || `${code}` }));
  tell(say('demo.killed', { pid: child.pid, step: acknowledged.length + 1 }));
  return acknowledged;
}

async function checkNothingLost(
  storage: Storage,
  task: string,
  acknowledged: readonly StepEntry[],
  context: Teller,
): Promise<void> {
  const { say, tell } = context;
  const recorded = await recordedSteps(storage, task);
  const found = acknowledged.filter(({ step, result }) => recorded[step - 1]?.result === result).length;
  const counts = { found, acknowledged: acknowledged.length };
  if (found < acknowledged.length) throw failure(context, say('demo.lost', counts));
  tell(say('demo.reopened', counts));
  if (recorded.length > acknowledged.length) tell(say('demo.unacknowledged'));
  const status = (await loadState(storage, task))?.status ?? '';
  tell(say('demo.state', { status }));
}

async function finish(storage: Storage, task: string, context: Teller): Promise<string> {
  const { say, tell } = context;
  const claim = await storage.claim(task);
  tell(say('demo.claimed', { fence: claim.fence }));
  for await (const entry of runSteps(storage, claim)) tell(say('demo.step', { ...entry, steps: STEPS }));
  await claim.release();
  const result = (await recordedSteps(storage, task)).at(-1)!.result;
  const expected = expectedResult();
  if (result !== expected) throw failure(context, say('demo.differs', { result, expected }));
  const problems: string[] = [];
  for await (const { message } of storage.verify()) problems.push(message);
  if (problems.length > 0) throw failure(context, say('demo.damaged', { problems: problems.join(' ') }));
  tell(say('demo.finished', { result }));
  return result;
}

function failure({ say }: Teller, message: string): VibeError {
  return new VibeError('CORRUPT', message, { hint: say('demo.failed_hint') });
}
