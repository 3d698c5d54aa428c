/** Restate: this process has the handlers, whose steps are `ctx.run`; the server calls them and keeps the results. */
import { basename } from 'node:path';
import { importFrom } from '../install.ts';
import type { OpenContender } from '../process/protocol.ts';
import { dyingStep, meter, recoveringStep, turnTexts } from '../work.ts';

type Step = (n: number) => string | Promise<string>;

const open: OpenContender = async ({ installed, url, admin, port }, tell) => {
  const restate = await importFrom<Restate>(installed, '@restatedev/restate-sdk');
  let step: Step = () => '';
  const bench = restate.service({
    name: 'bench',
    handlers: {
      async steps(context, { steps }) {
        for (let n = 0; n < steps!; n++) await context.run('step', () => step(n));
        return 0;
      },
      async conversation(context, { turns, limitMs }) {
        const end = performance.now() + limitMs!;
        let taken = 0;
        for (; taken < turns! && performance.now() < end; taken++) {
          for (const text of turnTexts()) await context.run('message', () => text);
        }
        return taken;
      },
    },
  });
  let listening: Promise<unknown> | undefined;
  const listen = () => {
    listening ??= restate.serve({ services: [bench], port: port! });
    return listening;
  };
  let registered: Promise<unknown> | undefined;
  const call = async (handler: string, input: Input, key?: string): Promise<number> => {
    await listen();
    registered ??= post(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}`, force: true });
    await registered;
    return post(`${url}/bench/${handler}`, input, key) as Promise<number>;
  };
  return {
    async steps(tasks, steps) {
      const timed = meter(tasks, steps);
      step = timed.step;
      await Promise.all(Array.from({ length: tasks }, () => call('steps', { steps })));
      return timed.rate();
    },
    converse: (turns, limitMs) => call('conversation', { turns, limitMs }),
    async runAndDie(log, steps, killedAt) {
      step = dyingStep(log, killedAt);
      await call('steps', { steps }, basename(log));
    },
    /**
     * The server calls again by itself, as soon as somebody listens. With the same key it starts nothing, and answers once
     * it knows that the task is done: were the process to end before, it would call a third time.
     */
    async recover(log, steps) {
      step = recoveringStep(log, tell);
      await listen();
      await post(`${url}/bench/steps`, { steps }, basename(log));
    },
    close: async () => {},
  };
};

export default open;

async function post(url: string, body: object, key?: string): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return JSON.parse(text);
}

interface Input {
  readonly steps?: number;
  readonly turns?: number;
  readonly limitMs?: number;
}

/** What is used of it. */
interface Restate {
  service(definition: { name: string; handlers: Record<string, Handler> }): unknown;
  serve(options: { services: unknown[]; port: number }): Promise<unknown>;
}

type Handler = (context: Context, input: Input) => Promise<number>;

interface Context {
  run<Out>(name: string, work: () => Out | Promise<Out>): Promise<Out>;
}
