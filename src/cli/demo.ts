/** `vibe-engine demo`: a real task in a real process, killed in the middle, found again and finished. */
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { VibeError } from '../errors.ts';
import type { Storage } from '../storage/contract.ts';
import { createStorageFromConfig } from '../storage/factory.ts';
import { loadState } from '../storage/state-records.ts';
import { startNode } from '../system/child.ts';
import { ensureDir, removeTree } from '../system/files.ts';
import { newId, newTaskId } from '../system/ids.ts';
import type { CliContext } from './context.ts';
import { expectedResult, recordedSteps, runSteps, STEPS, type StepEntry } from './demo-task.ts';

export function demoCommand(context: CliContext): Command {
  const { say } = context;
  return new Command('demo')
    .description(say('demo.summary'))
    .addOption(
      new Option('--storage <type>', say('demo.option.storage')).choices(['json', 'sqlite']).default('json'),
    )
    .option('--keep', say('demo.option.keep'))
    .action(async (options: { storage: string; keep?: true }) => {
      const folder = join(tmpdir(), newId('vibe-engine-demo-'));
      ensureDir(folder);
      try {
        await runDemo(folder, options.storage, context);
      } finally {
        if (options.keep) context.print(say('demo.kept', { path: folder }));
        else removeTree(folder);
      }
    });
}

async function runDemo(folder: string, storage_type: string, context: CliContext): Promise<void> {
  const task = newTaskId();
  const acknowledged = await runAndKill(folder, storage_type, task, context);
  const storage = await createStorageFromConfig({ persistence: { storage_type } }, { project_dir: folder });
  try {
    await checkNothingLost(storage, task, acknowledged, context);
    await finish(storage, task, context);
  } finally {
    await storage.close();
  }
}

/** Runs the task in a process of its own and kills that at a random instant; answers the steps it acknowledged. */
async function runAndKill(
  folder: string,
  storage: string,
  task: string,
  context: CliContext,
): Promise<StepEntry[]> {
  const { say, print } = context;
  const script = fileURLToPath(new URL(`./demo-child${extname(import.meta.url)}`, import.meta.url));
  const child = await startNode(script, [folder, storage, task]);
  print(say('demo.start', { steps: STEPS, pid: child.pid, storage }));
  const killAfter = 4 + Math.floor(Math.random() * 5);
  const acknowledged: StepEntry[] = [];
  for await (const line of child.lines) {
    const entry = JSON.parse(line) as StepEntry;
    acknowledged.push(entry);
    print(say('demo.step', { ...entry, steps: STEPS }));
    if (entry.step === killAfter) void sleep(Math.random() * 55).then(() => child.kill('SIGKILL'));
  }
  const { code, signal, errors } = await child.ended;
  if (signal !== 'SIGKILL')
    throw failure(context, say('demo.child_failed', { reason: errors.trim() || `${code}` }));
  print(say('demo.killed', { pid: child.pid, step: acknowledged.length + 1 }));
  return acknowledged;
}

async function checkNothingLost(
  storage: Storage,
  task: string,
  acknowledged: readonly StepEntry[],
  context: CliContext,
): Promise<void> {
  const { say, print } = context;
  const recorded = await recordedSteps(storage, task);
  const found = acknowledged.filter(({ step, result }) => recorded[step - 1]?.result === result).length;
  const counts = { found, acknowledged: acknowledged.length };
  if (found < acknowledged.length) throw failure(context, say('demo.lost', counts));
  print(say('demo.reopened', counts));
  if (recorded.length > acknowledged.length) print(say('demo.unacknowledged'));
  const status = (await loadState(storage, task))?.status ?? '';
  print(say('demo.state', { status }));
}

async function finish(storage: Storage, task: string, context: CliContext): Promise<void> {
  const { say, print } = context;
  const claim = await storage.claim(task);
  print(say('demo.claimed', { fence: claim.fence }));
  for await (const entry of runSteps(storage, claim)) print(say('demo.step', { ...entry, steps: STEPS }));
  await claim.release();
  const result = (await recordedSteps(storage, task)).at(-1)!.result;
  const expected = expectedResult();
  if (result !== expected) throw failure(context, say('demo.differs', { result, expected }));
  const problems: string[] = [];
  for await (const { message } of storage.verify()) problems.push(message);
  if (problems.length > 0) throw failure(context, say('demo.damaged', { problems: problems.join(' ') }));
  print(say('demo.finished', { result }));
}

function failure({ say }: CliContext, message: string): VibeError {
  return new VibeError('CORRUPT', message, { hint: say('demo.failed_hint') });
}
