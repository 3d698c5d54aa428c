/** Who is measured: us on each store, and the peers in each way that one would use them. */
import { join } from 'node:path';
import { inDatabase, inDirectory, type OpenAPlace } from './places/local.ts';
import { onRestateServer } from './places/restate.ts';
import { inVercelProject } from './places/vercel.ts';
import type { Actions } from './process/protocol.ts';
import type { PeerName } from './versions.ts';

export interface Contender {
  readonly id: ContenderId;
  readonly name: string;
  /** Null: ours. */
  readonly peer: PeerName | null;
  readonly module: string;
  readonly variant: string;
  /** What it is measured at; the reason where it cannot be. */
  readonly does: Partial<Record<keyof Actions, true | string>>;
  /** What there is to say about its recovery. */
  readonly taken_over?: string;
  readonly open: OpenAPlace;
}

const workers = join(import.meta.dirname, 'workers');

const ALL = { steps: true, converse: true, load: true, runAndDie: true, recover: true } as const;

function ours<Id extends string>(id: Id, name: string, variant: string, open: OpenAPlace) {
  return { id, name, peer: null, module: join(workers, 'ours.ts'), variant, does: ALL, open };
}

function langgraph<Id extends string>(id: Id, name: string, does: Contender['does']) {
  const variant = id.slice('langgraph-'.length);
  return {
    id,
    name,
    peer: 'langgraph',
    module: join(workers, 'langgraph.ts'),
    variant,
    does,
    open: inDirectory(id, variant),
  } as const;
}

const LIST = [
  ours('json', 'Vibe Engine, JSON', 'json', inDirectory('json', 'json')),
  ours('sqlite', 'Vibe Engine, SQLite', 'sqlite', inDirectory('sqlite', 'sqlite')),
  {
    ...ours('postgres', 'Vibe Engine, PostgreSQL', 'postgres', inDatabase('postgres', 'postgres')),
    taken_over: 'the server has to notice first that the owner which was killed is gone',
  },
  langgraph('langgraph-graph', 'LangGraph, graph', { steps: true, runAndDie: true, recover: true }),
  langgraph('langgraph-tasks', 'LangGraph, tasks', { steps: true, runAndDie: true, recover: true }),
  langgraph('langgraph-full', 'LangGraph, full', { converse: true, load: true }),
  langgraph('langgraph-delta', 'LangGraph, delta', { converse: true, load: true }),
  {
    id: 'dbos',
    name: 'DBOS',
    peer: 'dbos',
    module: join(workers, 'dbos.ts'),
    variant: '',
    does: ALL,
    open: inDatabase('dbos', ''),
  },
  {
    id: 'restate',
    name: 'Restate',
    peer: 'restate',
    module: join(workers, 'restate.ts'),
    variant: '',
    does: {
      ...ALL,
      load: 'no call gives the results of an invocation back; they are only replayed to its handler',
    },
    open: onRestateServer,
  },
  {
    id: 'vercel',
    name: 'Vercel workflow',
    peer: 'vercel',
    module: join(workers, 'vercel.ts'),
    variant: '',
    does: { ...ALL, load: 'it gives back what a run returns, not the results of its steps' },
    open: inVercelProject,
  },
] as const;

export type ContenderId = (typeof LIST)[number]['id'];

export const CONTENDERS: readonly Contender[] = LIST;
