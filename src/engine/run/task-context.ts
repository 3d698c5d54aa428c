/** The context of a task's function and its sub-agents: thin methods over the run's context. */
import type { ToolOutput } from '../../checkpoint/record/record.ts';
import { phrase } from '../../phrase.ts';
import { checkFunction } from '../api/checks.ts';
import type { AgentOptions, StepContext, StepOptions, TaskContext } from '../api/context.ts';
import { type Counted, countKey } from '../task/memory.ts';
import { commitWork } from './commit.ts';
import { writeDecision, writeMessage } from './operations.ts';
import { nowIso, type RunContext, throughSafePoint, withinStep } from './run-context.ts';
import { type Command, runShell } from './shell.ts';
import { runStep } from './steps.ts';
import { STEP_VARIABLE, stepMark } from './still-running.ts';
import { runAgent } from './sub-agents.ts';
import { createTaskFiles } from './task-files.ts';
import { sleep, waitFor } from './waits.ts';

export function createContext(active: RunContext, signal: AbortSignal, path = ''): TaskContext {
  /** Outside steps, what was recorded before is not recorded again; a step that runs again records again. */
  const once = async (kind: Counted, write: () => Promise<void>): Promise<void> => {
    const key = countKey(path, kind);
    const inStep = withinStep().in !== undefined;
    if (!inStep && active.occurrence(key) <= (active.recorded.get(key) ?? 0)) return;
    await throughSafePoint(active, write);
  };

  const recordTool = (output: ToolOutput): Promise<void> =>
    once('tool', async () => {
      const input = active.pack(output.input ?? null, 'tool_inputs');
      const result = active.pack(output.output, 'tool_results');
      await active.writer.write(
        {
          t: 'tool',
          at: nowIso(active),
          agent: path,
          tool: output.tool,
          input: input.stored,
          output: result.stored,
          status: output.status,
          ...(output.duration_ms === undefined ? {} : { ms: output.duration_ms }),
          bytes: input.bytes + result.bytes,
          ...withinStep(),
        },
        { blobs: [...input.blobs, ...result.blobs] },
      );
    });

  /** The call is a step of its own; with its end it is part of the conversation. */
  const callTool = async <T>(
    name: string,
    input: unknown,
    run: (call: StepContext) => Promise<T> | T,
    options: StepOptions,
  ): Promise<T> => {
    checkFunction(phrase`Tool ${name}`, run);
    const fn = async (call: StepContext): Promise<T> => {
      if (call.unknown) {
        const { began_at, files } = call.unknown;
        await recordTool({ tool: name, input, output: { began_at, files }, status: 'unknown' });
      }
      return run(call);
    };
    const tool = { name, input };
    return (await runStep(active, { name: `tool:${name}`, agent: path, fn, options, tool })) as T;
  };

  const context: TaskContext = {
    id: active.task,
    agent_path: path,
    signal,

    step: <T>(name: string, fn: (step: StepContext) => Promise<T> | T, options: StepOptions = {}) =>
      runStep(active, { name, agent: path, fn, options }) as Promise<T>,

    agent: <T>(
      name: string,
      first: AgentOptions | ((task: TaskContext) => Promise<T> | T),
      second?: (task: TaskContext) => Promise<T> | T,
    ): Promise<T> => {
      const [options, fn] = typeof first === 'function' ? [{}, first] : [first ?? {}, second!];
      return runAgent(active, path, name, options, fn, (inner) => createContext(active, signal, inner));
    },

    message: (role, content) =>
      once('message', () => writeMessage(active, { agent: path, role, content, ...withinStep() })),

    tool: <T>(
      first: ToolOutput | string,
      input?: unknown,
      run?: (call: StepContext) => Promise<T> | T,
      options: StepOptions = {},
    ): Promise<never> =>
      (typeof first === 'string'
        ? callTool(first, input, run!, options)
        : recordTool(first ?? {})) as Promise<never>,

    decide: (decision) =>
      once('decision', () => {
        const made = typeof decision === 'string' ? { what: decision } : (decision ?? {});
        return writeDecision(active, made, { agent: path, ...withinStep() });
      }),

    files: createTaskFiles(active, path),
    shell: (command, options = {}) => {
      const { cwd, timeout_ms } = options;
      const input = { command, ...(cwd === undefined ? {} : { cwd }), ...(timeout_ms ? { timeout_ms } : {}) };
      const run = async (call: StepContext) => {
        await active.fileAccess?.mayRun({ owner: `${active.task}${path}`, signal: call.signal });
        active.assertOwned();
        if (call.unknown && options.on_unknown !== 'report') active.notify([runAgain(active, command)]);
        const mark = { [STEP_VARIABLE]: stepMark(active.task, call.id) };
        return runShell(command, options, active.working_dir, call, mark);
      };
      return callTool('shell', input, run, { dangerous: 'shell_command' });
    },

    commit: (message, options = {}) => commitWork(active, path, message, options),

    waitFor: <T>(kind: Parameters<TaskContext['waitFor']>[0], options = {}) =>
      waitFor(active, path, kind, options) as Promise<T>,
    sleep: (ms) => sleep(active, path, ms),

    progress: (percent, note = null) =>
      once('progress', async () => {
        const wanted = { percent: Math.min(100, Math.max(0, percent)), note };
        await active.writer.write({
          t: 'progress',
          at: nowIso(active),
          agent: path,
          ...wanted,
          ...withinStep(),
        });
        active.emit({ type: 'progress', task: active.task, ...wanted });
      }),
    verified: (results) =>
      once('verified', async () => {
        const { stored, blobs } = active.pack(results, 'verifications');
        const entry = { t: 'verified', at: nowIso(active), agent: path, results: stored } as const;
        await active.writer.write({ ...entry, ...withinStep() }, { blobs });
      }),
    checkpoint: ({ metadata = {} } = {}) => active.checkpointNow(metadata),

    set: async (name, value) => {
      const { stored, blobs } = active.pack(value, 'variables');
      active.variables.set(name, stored);
      await once('set', () =>
        active.writer.write(
          { t: 'set', at: nowIso(active), agent: path, name, value: stored, ...withinStep() },
          { blobs },
        ),
      );
    },
    get: async <T>(name: string) => (await active.unpack(active.variables.get(name))) as T | undefined,
    context: ({ all = false } = {}) => active.readContext(all),
  };
  cores.set(context, active);
  return context;
}

function runAgain({ redact }: RunContext, command: Command): string {
  const line = typeof command === 'string' ? command : command.join(' ');
  return phrase`This command was interrupted, and runs again: ${redact(line)}`;
}

const cores = new WeakMap<TaskContext, RunContext>();

/** For the parts of the engine that are tasks themselves. */
export function runContextOf(task: TaskContext): RunContext {
  return cores.get(task)!;
}
