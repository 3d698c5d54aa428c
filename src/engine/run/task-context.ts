/** The context of a task's function and its sub-agents: thin methods over the run's context. */
import type { Decision, ToolOutput } from '../../checkpoint/record/record.ts';
import { roughSize } from '../../checkpoint/values/rough-size.ts';
import { phrase } from '../../phrase.ts';
import { checkFunction } from '../api/checks.ts';
import type { AgentOptions, StepContext, StepOptions, TaskContext } from '../api/context.ts';
import { type Counted, countKey } from '../task/memory.ts';
import { commitWork } from './commit.ts';
import { nowIso, type RunContext, throughSafePoint, withinStep } from './run-context.ts';
import { type Command, runShell } from './shell.ts';
import { runStep } from './steps.ts';
import { STEP_VARIABLE, stepMark } from './still-running.ts';
import { runAgent } from './sub-agents.ts';
import { createTaskFiles } from './task-files.ts';
import { sleep, waitFor } from './waits.ts';

export function createContext(core: RunContext, signal: AbortSignal, path = ''): TaskContext {
  /** Outside steps, what was recorded before is not recorded again; a step that runs again records again. */
  const once = async (kind: Counted, write: () => Promise<void>): Promise<void> => {
    const key = countKey(path, kind);
    const inStep = withinStep().in !== undefined;
    if (!inStep && core.occurrence(key) <= (core.recorded.get(key) ?? 0)) return;
    await throughSafePoint(core, write);
  };

  const recordTool = (output: ToolOutput): Promise<void> =>
    once('tool', async () => {
      const input = core.pack(output.input ?? null, 'tool_inputs');
      const result = core.pack(output.output, 'tool_results');
      await core.writer.write(
        {
          t: 'tool',
          at: nowIso(core),
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
    return (await runStep(core, { name: `tool:${name}`, agent: path, fn, options, tool })) as T;
  };

  const context: TaskContext = {
    id: core.task,
    agent_path: path,
    signal,

    step: <T>(name: string, fn: (step: StepContext) => Promise<T> | T, options: StepOptions = {}) =>
      runStep(core, { name, agent: path, fn, options }) as Promise<T>,

    agent: <T>(
      name: string,
      first: AgentOptions | ((task: TaskContext) => Promise<T> | T),
      second?: (task: TaskContext) => Promise<T> | T,
    ): Promise<T> => {
      const [options, fn] = typeof first === 'function' ? [{}, first] : [first ?? {}, second!];
      return runAgent(core, path, name, options, fn, (inner) => createContext(core, signal, inner));
    },

    message: (role, content) =>
      once('message', async () => {
        const { stored, blobs, bytes } = core.pack(content, 'messages');
        const entry = { t: 'message', at: nowIso(core), agent: path, role, content: stored, bytes } as const;
        const heard = role === 'user' ? { event: 'after_user_input' as const } : {};
        await core.writer.write({ ...entry, ...withinStep() }, { blobs, ...heard });
        core.emit({ type: 'message', task: core.task, agent: path, role });
      }),

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
      once('decision', async () => {
        const { what, why, alternatives }: Decision = core.redact(
          typeof decision === 'string' ? { what: decision } : (decision ?? {}),
        );
        const entry = {
          t: 'decision' as const,
          at: nowIso(core),
          agent: path,
          what,
          ...(why === undefined ? {} : { why }),
          ...(alternatives === undefined ? {} : { alternatives: alternatives as string[] }),
          bytes: roughSize(what) + roughSize(why ?? ''),
        };
        await core.writer.write({ ...entry, ...withinStep() });
      }),

    files: createTaskFiles(core, path),
    shell: (command, options = {}) => {
      const { cwd, timeout_ms } = options;
      const input = { command, ...(cwd === undefined ? {} : { cwd }), ...(timeout_ms ? { timeout_ms } : {}) };
      const run = async (call: StepContext) => {
        await core.desk?.mayRun({ owner: `${core.task}${path}`, signal: call.signal });
        core.assertOwned();
        if (call.unknown && options.on_unknown !== 'report') core.notify([runAgain(core, command)]);
        const mark = { [STEP_VARIABLE]: stepMark(core.task, call.id) };
        return runShell(command, options, core.working_dir, call, mark);
      };
      return callTool('shell', input, run, { dangerous: 'shell_command' });
    },

    commit: (message, options = {}) => commitWork(core, path, message, options),

    waitFor: <T>(kind: Parameters<TaskContext['waitFor']>[0], options = {}) =>
      waitFor(core, path, kind, options) as Promise<T>,
    sleep: (ms) => sleep(core, path, ms),

    progress: (percent, note = null) =>
      once('progress', async () => {
        const wanted = { percent: Math.min(100, Math.max(0, percent)), note };
        await core.writer.write({ t: 'progress', at: nowIso(core), agent: path, ...wanted, ...withinStep() });
        core.emit({ type: 'progress', task: core.task, ...wanted });
      }),
    verified: (results) =>
      once('verified', async () => {
        const { stored, blobs } = core.pack(results, 'verifications');
        const entry = { t: 'verified', at: nowIso(core), agent: path, results: stored } as const;
        await core.writer.write({ ...entry, ...withinStep() }, { blobs });
      }),
    checkpoint: ({ metadata = {} } = {}) => core.checkpointNow(metadata),

    set: async (name, value) => {
      const { stored, blobs } = core.pack(value, 'variables');
      core.variables.set(name, stored);
      await once('set', () =>
        core.writer.write(
          { t: 'set', at: nowIso(core), agent: path, name, value: stored, ...withinStep() },
          { blobs },
        ),
      );
    },
    get: async <T>(name: string) => (await core.unpack(core.variables.get(name))) as T | undefined,
    context: ({ all = false } = {}) => core.readContext(all),
  };
  cores.set(context, core);
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
