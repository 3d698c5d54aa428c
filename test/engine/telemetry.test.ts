/** OpenTelemetry spans: what is on them, and that nothing happens where the package is not installed. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as api from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defineTask } from '../../src/engine/api/definition.ts';
import { benches } from './setup.ts';

const bench = benches();
const exporter = new InMemorySpanExporter();

beforeAll(() => {
  api.context.setGlobalContextManager(asyncContexts());
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});
afterAll(() => {
  api.trace.disable();
  api.context.disable();
});
beforeEach(() => exporter.reset());

describe('spans', () => {
  test('a run, its steps, its checkpoints; what a step traces itself belongs to it', async () => {
    const engine = await bench().open();
    const traced = defineTask('traced', async (task) => {
      await task.step('model', async () => {
        api.trace.getTracer('user').startSpan('call the model').end();
      });
    });
    const caller = api.trace.getTracer('user').startSpan('caller');
    const handle = await api.context.with(api.trace.setSpan(api.context.active(), caller), () =>
      engine.start(traced, undefined),
    );
    await handle.result;
    caller.end();
    const run = spanNamed('task traced');
    const step = spanNamed('step model');
    expect(run.attributes).toMatchObject({
      'vibe_engine.task.id': handle.id,
      'vibe_engine.task.name': 'traced',
      'vibe_engine.run.resumed': false,
      'vibe_engine.run.outcome': 'completed',
    });
    expect(step.attributes).toMatchObject({
      'vibe_engine.task.id': handle.id,
      'vibe_engine.step.id': '/model#1',
      'vibe_engine.step.name': 'model',
      'vibe_engine.step.attempts': 1,
      'vibe_engine.step.outcome_unknown': false,
    });
    expect(parentOf(run)).toBe('caller');
    expect(parentOf(step)).toBe('task traced');
    expect(parentOf(spanNamed('call the model'))).toBe('step model');
    for (const trigger of ['start', 'after_step', 'end']) {
      const checkpoint = spanNamed(`checkpoint ${trigger}`);
      expect(parentOf(checkpoint)).toBe('task traced');
      expect(checkpoint.attributes).toMatchObject({ 'vibe_engine.checkpoint.trigger': trigger });
      expect(checkpoint.duration[0] * 1e9 + checkpoint.duration[1]).toBeGreaterThan(0);
    }
  });

  test('a step has one span for all its attempts; the last failure is its status', async () => {
    const engine = await bench().open();
    const flaky = defineTask('flaky', (task) =>
      task.step(
        'flaky',
        ({ attempt }) => {
          throw new Error(`attempt ${attempt}`);
        },
        { retry: { attempts: 3, first_delay_ms: 1 } },
      ),
    );
    await expect(engine.run(flaky, undefined)).rejects.toThrow();
    const step = spanNamed('step flaky');
    expect(step.attributes['vibe_engine.step.attempts']).toBe(3);
    expect(step.status).toEqual({ code: api.SpanStatusCode.ERROR, message: 'attempt 3' });
    expect(step.events.map(({ name }) => name)).toEqual(['attempt failed', 'attempt failed', 'exception']);
    expect(spanNamed('task flaky').status).toMatchObject({ code: api.SpanStatusCode.ERROR });
  });

  test('a resumed run and its recovery; a step that was cut off ends with its run', async () => {
    const at = bench();
    let first = true;
    const begun = Promise.withResolvers<void>();
    const cut = defineTask('cut', (task) =>
      task.step(
        'cut',
        async ({ unknown }) => {
          begun.resolve();
          if (first) await new Promise(() => {});
          return unknown !== null;
        },
        { dangerous: 'shell_command' },
      ),
    );
    const before = await at.open({ tasks: [cut] });
    const { id } = await before.start(cut, undefined);
    await begun.promise;
    await before.close();
    expect(spanNamed('task cut').attributes['vibe_engine.run.outcome']).toBe('stopped');
    expect(spanNamed('step cut').ended).toBe(true);
    exporter.reset();
    first = false;
    const engine = await at.open({ tasks: [cut] });
    expect(await (await engine.resume(id)).result).toBe(true);
    expect(spanNamed('task cut').attributes['vibe_engine.run.resumed']).toBe(true);
    expect(spanNamed('step cut').attributes['vibe_engine.step.outcome_unknown']).toBe(true);
    const recovery = spanNamed('recovery');
    expect(parentOf(recovery)).toBe('task cut');
    expect(recovery.attributes).toMatchObject({
      'vibe_engine.recovery.outcome_unknown': ['/cut#1'],
      'vibe_engine.checkpoint.id': `ckpt-${id}-2`,
    });
  });

  test('steps side by side have their own', async () => {
    const engine = await bench().open();
    const both = defineTask('both', (task) =>
      Promise.all(
        ['a', 'b'].map((name) =>
          task.step(name, async () => {
            await new Promise((resolve) => setImmediate(resolve));
            api.trace.getTracer('user').startSpan(`inside ${name}`).end();
          }),
        ),
      ),
    );
    await engine.run(both, undefined);
    expect(parentOf(spanNamed('inside a'))).toBe('step a');
    expect(parentOf(spanNamed('inside b'))).toBe('step b');
  });

  test('none where telemetry is switched off', async () => {
    const engine = await bench().open({ telemetry: false });
    await engine.run(
      defineTask('quiet', (task) => task.step('a', () => 1)),
      undefined,
    );
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});

test('an application may set OpenTelemetry up after the engine was opened', async () => {
  api.trace.disable();
  const engine = await bench().open();
  api.trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  await engine.run(
    defineTask('later', (task) => task.step('a', () => 1)),
    undefined,
  );
  expect(parentOf(spanNamed('step a'))).toBe('task later');
});

test.each([
  ['nobody has set it up', '', []],
  [
    'someone has set up another copy of it',
    "globalThis[Symbol.for('opentelemetry.js.api.1')] = {};",
    ['asked for @opentelemetry/api'],
  ],
])('without the package the engine works the same, and says nothing: %s', async (_, before, asked) => {
  const { dir } = bench();
  const hide = join(dir, 'hide.mjs');
  writeFileSync(
    hide,
    `import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@opentelemetry/')) return next(specifier, context);
    console.log('asked for', specifier);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});`,
  );
  const program = join(dir, 'program.ts');
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  writeFileSync(
    program,
    `import { openEngine } from ${source('engine/engine.ts')};
import { defineTask } from ${source('engine/api/definition.ts')};
${before}
const engine = await openEngine({ project_dir: ${JSON.stringify(dir)} });
console.log(await engine.run(defineTask('plain', (task) => task.step('a', () => 'done')), undefined));
await engine.close();`,
  );
  const run = promisify(execFile)(process.execPath, ['--import', pathToFileURL(hide).href, program]);
  expect((await run).stdout.split('\n')).toEqual([...asked, 'done', '']);
});

function spanNamed(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0]!;
}

function parentOf(span: ReadableSpan): string | undefined {
  const id = span.parentSpanContext?.spanId;
  return exporter.getFinishedSpans().find((other) => other.spanContext().spanId === id)?.name;
}

/** What an application's set-up of OpenTelemetry brings along: contexts that follow async calls. */
function asyncContexts(): api.ContextManager {
  const active = new AsyncLocalStorage<api.Context>();
  const manager: api.ContextManager = {
    active: () => active.getStore() ?? api.ROOT_CONTEXT,
    with: (context, fn, thisArg, ...args) => active.run(context, () => fn.apply(thisArg, args)),
    bind: (context, target) =>
      typeof target === 'function' ? (active.run(context, () => target) as never) : target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
