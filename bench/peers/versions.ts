/** The peers, with the exact versions that are installed to be measured. Nothing of it is a dependency of this package. */
export interface Peer {
  readonly title: string;
  /** `name@version`; none for git, which the machine has. */
  readonly packages: readonly string[];
  /** How it is set up, and what it has synced by the time it answers. */
  readonly durability: string;
}

export const PEERS = {
  langgraph: {
    title: 'LangGraph JS',
    packages: [
      '@langchain/langgraph@1.4.18',
      // The newest one whose own dependencies can be had.
      '@langchain/langgraph-sdk@1.12.3',
      '@langchain/langgraph-checkpoint@1.1.5',
      '@langchain/langgraph-checkpoint-sqlite@1.0.4',
      '@langchain/core@1.2.13',
    ],
    durability:
      '`SqliteSaver`, `durability: "sync"`, WAL with `synchronous=FULL`: synced. Its driver, better-sqlite3, is compiled with `NORMAL` as the default, which syncs nothing at a commit; here it runs on the SQLite that comes with Node, as we do.',
  },
  dbos: {
    title: 'DBOS',
    packages: ['@dbos-inc/dbos-sdk@5.3.0'],
    durability:
      'On the same PostgreSQL server as Vibe Engine, with `synchronous_commit=on` and `fsync=on`: synced.',
  },
  restate: {
    title: 'Restate',
    packages: ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'],
    durability:
      'Its server, one node, settings as delivered: the log is synced (`rocksdb-disable-wal-fsync = false`). A step is a `ctx.run`, whose result the server has acknowledged before the next begins. Recovery: the process with the handlers is killed, the server lives.',
  },
  vercel: {
    title: 'Vercel workflow',
    packages: ['workflow@4.8.9', '@workflow/builders@4.1.14', '@workflow/world-local@4.4.1'],
    durability:
      'Its local world, made for development and testing, which keeps files and **syncs none of them**; there is no setting for it. Its handlers are called directly, without HTTP. Its PostgreSQL world was not measured.',
  },
  shadow: {
    title: 'shadow git',
    packages: [],
    durability:
      "A hidden git directory over the work tree, `git add -A` and `git commit`, as agents do it. Git's default syncs no loose objects; Vibe Engine syncs what it stores.",
  },
  diff3: {
    title: 'node-diff3',
    packages: ['node-diff3@3.2.1'],
    durability: 'Stores nothing.',
  },
} as const satisfies Record<string, Peer>;

export type PeerName = keyof typeof PEERS;

export const PEER_NAMES = Object.keys(PEERS) as readonly PeerName[];
