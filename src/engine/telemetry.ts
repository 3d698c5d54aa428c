/**
 * OpenTelemetry spans, made from the engine's events if `@opentelemetry/api` is installed: a span per run of a task; within
 * it one per step (with its attempts), checkpoint and recovery.
 */
import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { EngineEvent, EventOf, Events } from './api/events.ts';
import type { Around, Tracing } from './run/services.ts';
import { storedError } from './task/stored-error.ts';

type Api = typeof import('@opentelemetry/api');

/** What spans are called and what is on them; also in docs/reference/api.md. */
const ATTRIBUTES = {
  task: 'vibe_engine.task.id',
  taskName: 'vibe_engine.task.name',
  resumed: 'vibe_engine.run.resumed',
  outcome: 'vibe_engine.run.outcome',
  step: 'vibe_engine.step.id',
  stepName: 'vibe_engine.step.name',
  attempts: 'vibe_engine.step.attempts',
  unknown: 'vibe_engine.step.outcome_unknown',
  checkpoint: 'vibe_engine.checkpoint.id',
  sequence: 'vibe_engine.checkpoint.sequence_number',
  trigger: 'vibe_engine.checkpoint.trigger',
  notes: 'vibe_engine.recovery.notes',
  unknownSteps: 'vibe_engine.recovery.outcome_unknown',
} as const;

/** The package is loaded once an application has set it up: that takes longer than opening a store. */
export function openTracing(on: Events['on']): Tracing {
  let loading: Promise<void> | undefined;
  let around: Around | undefined;
  const load = async (): Promise<void> => {
    const api = await loadApi();
    if (api) around = traceWith(api, on);
  };
  return {
    async ready() {
      if (SET_UP in globalThis) loading ??= load();
      await loading;
    },
    around: (task, step, run) => (around ? around(task, step, run) : run()),
  };
}

/** Where all copies of the package, of any version 1, find what the application has set up. */
const SET_UP = Symbol.for('opentelemetry.js.api.1');

/** Null where the package is not installed here. */

async function loadApi(): Promise<Api | null> {
  try {
    return await import('@opentelemetry/api');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}

interface RunSpans {
  readonly span: Span;
  readonly context: Context;
  readonly steps: Map<string, { readonly span: Span; readonly context: Context }>;
}

const TRACER = 'vibe-engine';

function traceWith({ trace, context, SpanStatusCode }: Api, on: Events['on']): Around {
  const tracer = trace.getTracer(TRACER);
  /** Before an application has set OpenTelemetry up, its provider has no tracers to pass calls to. */
  const isHeard = (): boolean => {
    const provider = trace.getTracerProvider() as { getDelegateTracer?(name: string): unknown };
    return !provider.getDelegateTracer || provider.getDelegateTracer(TRACER) !== undefined;
  };
  const runs = new Map<string, RunSpans>();

  const open = (name: string, attributes: Attributes, parent: Context, startTime?: number) => {
    const span = tracer.startSpan(
      name,
      { attributes, ...(startTime === undefined ? {} : { startTime }) },
      parent,
    );
    return { span, context: trace.setSpan(parent, span) };
  };
  const fail = (span: Span, error: unknown): void => {
    const { name, message, stack } = storedError(error);
    span.recordException({ name, message, ...(stack === undefined ? {} : { stack }) });
    span.setStatus({ code: SpanStatusCode.ERROR, message });
  };
  /** A span for something that has already ended. */
  const past = (name: string, task: string, duration_ms: number, attributes: Attributes): void => {
    if (!isHeard()) return;
    const parent = runs.get(task)?.context ?? context.active();
    const startTime = Date.now() - duration_ms;
    open(name, { [ATTRIBUTES.task]: task, ...attributes }, parent, startTime).span.end();
  };

  const handlers: { [T in EngineEvent['type']]?: (event: EventOf<T>) => void } = {
    'run.started': ({ task, task_name, resumed }) => {
      const attributes = {
        [ATTRIBUTES.task]: task,
        [ATTRIBUTES.taskName]: task_name,
        [ATTRIBUTES.resumed]: resumed,
      };
      runs.set(task, { ...open(`task ${task_name}`, attributes, context.active()), steps: new Map() });
    },
    'run.ended': ({ task, outcome, error }) => {
      const run = runs.get(task);
      if (!run) return;
      runs.delete(task);
      for (const { span } of run.steps.values()) span.end(); // Interrupted.
      run.span.setAttribute(ATTRIBUTES.outcome, outcome);
      if (error !== null) fail(run.span, error);
      run.span.end();
    },
    'step.started': ({ task, id, name, attempt, unknown }) => {
      const run = runs.get(task);
      if (!run || !isHeard()) return;
      const attributes = {
        [ATTRIBUTES.task]: task,
        [ATTRIBUTES.step]: id,
        [ATTRIBUTES.stepName]: name,
        [ATTRIBUTES.unknown]: unknown,
      };
      // If the step was called under a user's own span, it belongs to that one.
      const parent = trace.getSpan(context.active()) ? context.active() : run.context;
      if (!run.steps.has(id)) run.steps.set(id, open(`step ${name}`, attributes, parent));
      run.steps.get(id)!.span.setAttribute(ATTRIBUTES.attempts, attempt);
    },
    'step.failed': ({ task, id, attempt, error, final }) => {
      const step = runs.get(task)?.steps.get(id);
      if (!step) return;
      if (final) return endStep(task, id, error);
      step.span.addEvent('attempt failed', { attempt, error: String(error) });
    },
    'step.completed': ({ task, id }) => endStep(task, id, null),
    checkpoint: ({ task, id, sequence_number, trigger, duration_ms }) =>
      past(`checkpoint ${trigger}`, task, duration_ms, {
        [ATTRIBUTES.checkpoint]: id,
        [ATTRIBUTES.sequence]: sequence_number,
        [ATTRIBUTES.trigger]: trigger,
      }),
    recovery: ({ task, checkpoint, notes, unknown, duration_ms }) =>
      past('recovery', task, duration_ms, {
        ...(checkpoint === null ? {} : { [ATTRIBUTES.checkpoint]: checkpoint }),
        [ATTRIBUTES.notes]: [...notes],
        [ATTRIBUTES.unknownSteps]: [...unknown],
      }),
  };

  const endStep = (task: string, id: string, error: unknown): void => {
    const steps = runs.get(task)?.steps;
    const step = steps?.get(id);
    if (!step) return;
    if (error !== null) fail(step.span, error);
    step.span.end();
    steps!.delete(id);
  };

  for (const [type, handle] of Object.entries(handlers)) on(type as never, handle as never);
  return (task, step, run) => {
    const spans = runs.get(task);
    const active = step === null ? spans?.context : spans?.steps.get(step)?.context;
    return active ? context.with(active, run) : run();
  };
}
