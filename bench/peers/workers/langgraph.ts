/**
 * LangGraph JS with its SQLite saver. As `graph`, a node that loops is a step, and the state is its last result. As `tasks`,
 * steps are tasks of the functional API. As `full` and `delta`, the state is a growing list of messages.
 */
import { join } from 'node:path';
import { importFrom } from '../install.ts';
import type { OpenContender } from '../process/protocol.ts';
import { dyingStep, meter, recoveringStep, turnTexts } from '../work.ts';
import { type BetterSqlite, betterSqlite } from './better-sqlite.ts';

type Step = (n: number) => string | Promise<string>;

const open: OpenContender = async ({ installed, directory, variant }, tell) => {
  const langgraph = await importFrom<LangGraph>(installed, '@langchain/langgraph');
  const { SqliteSaver } = await importFrom<Savers>(installed, '@langchain/langgraph-checkpoint-sqlite');
  const db = betterSqlite(join(directory, 'checkpoints.db'));
  const checkpointer = new SqliteSaver(db);
  let round = 0;
  const on = (thread_id: string) => ({
    configurable: { thread_id },
    durability: 'sync',
    recursionLimit: 1_000_000,
  });
  const stepping = variant === 'tasks' ? tasksOf : graphOf;
  const conversation = (more: (turns: number) => boolean) =>
    conversationOf(langgraph, checkpointer, variant === 'delta', more);

  return {
    async steps(tasks, steps) {
      const { step, rate } = meter(tasks, steps);
      const graph = stepping(langgraph, checkpointer, steps, step);
      const name = `steps-${round++}`;
      await Promise.all(Array.from({ length: tasks }, (_, n) => graph.invoke({ n: 0 }, on(`${name}-${n}`))));
      return rate();
    },
    async converse(turns, limitMs) {
      const end = performance.now() + limitMs;
      const graph = conversation((taken) => taken < turns && performance.now() < end);
      const { messages } = await graph.invoke({ messages: [] }, on('conversation'));
      return messages.length / 3;
    },
    async load(turns) {
      const graph = conversation(() => false);
      const start = performance.now();
      const { values } = await graph.getState(on('conversation'));
      const took = performance.now() - start;
      if (values.messages.length !== 3 * turns) throw new Error('The conversation is not whole.');
      return took;
    },
    async runAndDie(log, steps, killedAt) {
      await stepping(langgraph, checkpointer, steps, dyingStep(log, killedAt)).invoke({ n: 0 }, on(log));
    },
    async recover(log, steps) {
      await stepping(langgraph, checkpointer, steps, recoveringStep(log, tell)).invoke(null, on(log));
    },
    close: async () => db.close(),
  };
};

export default open;

/** What is used of it. */
interface LangGraph {
  readonly StateGraph: new (schema: unknown) => Graph;
  readonly StateSchema: new (fields: object) => unknown;
  readonly Annotation: { (): unknown; Root(fields: object): unknown };
  readonly MessagesValue: unknown;
  readonly MessagesDeltaValue: unknown;
  readonly START: string;
  readonly END: string;
  task(name: string, work: (n: number) => Promise<string>): (n: number) => Promise<string>;
  entrypoint(options: object, work: () => Promise<void>): Invocable;
}

interface Graph {
  addNode(name: string, work: (state: State) => object): Graph;
  addEdge(from: string, to: string): Graph;
  addConditionalEdges(from: string, next: (state: State) => string): Graph;
  compile(options: { checkpointer: object }): Invocable;
}

interface State {
  readonly n: number;
  readonly messages: readonly unknown[];
}

interface Invocable {
  invoke(input: Partial<State> | null, config: object): Promise<State>;
  getState(config: object): Promise<{ values: State }>;
}

interface Savers {
  readonly SqliteSaver: new (db: BetterSqlite) => object;
}

function graphOf(langgraph: LangGraph, checkpointer: object, steps: number, step: Step): Invocable {
  const { StateGraph, Annotation, START, END } = langgraph;
  return new StateGraph(Annotation.Root({ n: Annotation(), result: Annotation() }))
    .addNode('step', async ({ n }) => ({ n: n + 1, result: await step(n) }))
    .addEdge(START, 'step')
    .addConditionalEdges('step', ({ n }) => (n < steps ? 'step' : END))
    .compile({ checkpointer });
}

function tasksOf(langgraph: LangGraph, checkpointer: object, steps: number, step: Step): Invocable {
  const task = langgraph.task('step', async (n: number) => step(n));
  return langgraph.entrypoint({ name: 'steps', checkpointer }, async () => {
    for (let n = 0; n < steps; n++) await task(n);
  });
}

/** One node per turn, which adds three messages: one checkpoint a turn, the least that a graph can write. */
function conversationOf(
  langgraph: LangGraph,
  checkpointer: object,
  delta: boolean,
  more: (turns: number) => boolean,
): Invocable {
  const { StateGraph, StateSchema, MessagesValue, MessagesDeltaValue, START, END } = langgraph;
  return new StateGraph(new StateSchema({ messages: delta ? MessagesDeltaValue : MessagesValue }))
    .addNode('turn', () => ({ messages: turnMessages() }))
    .addEdge(START, 'turn')
    .addConditionalEdges('turn', ({ messages }) => (more(messages.length / 3) ? 'turn' : END))
    .compile({ checkpointer });
}

function turnMessages(): object[] {
  const [user, assistant, output] = turnTexts();
  return [
    { role: 'user', content: user },
    { role: 'assistant', content: assistant },
    { role: 'tool', content: output, tool_call_id: 'read_file' },
  ];
}
