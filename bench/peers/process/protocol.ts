/** What a contender's process is asked for, and how. */

/** Where a contender works; each takes what it needs. */
export interface Place {
  /** Where the peer is installed; empty for us. */
  readonly installed: string;
  readonly directory: string;
  readonly variant: string;
  /** A database, or where a server takes calls. */
  readonly url?: string;
  /** Where that server is administered. */
  readonly admin?: string;
  /** Where the contender is to listen. */
  readonly port?: number;
}

/** A contender leaves out what it has no way to do, and says why (`contenders.ts`). */
export interface Actions {
  /** Steps per second: so many tasks at once, each of so many steps one after another. */
  steps(tasks: number, steps: number): Promise<number>;
  /** One conversation of so many turns, with all of it kept; how many were taken before the time was over. */
  converse(turns: number, limitMs: number): Promise<number>;
  /** Milliseconds until the whole conversation is there again. */
  load(turns: number): Promise<number>;
  /** One task of so many steps, each noted in a file as it runs. The process kills itself in the middle of one. */
  runAndDie(log: string, steps: number, killedAt: number): Promise<void>;
  /** Continues it in this process until it is done; tells `first` when the first step runs. */
  recover(log: string, steps: number): Promise<void>;
}

export type Contending = Partial<Actions> & { close(): Promise<void> };

/** What the module of a contender exports as its default. */
export type OpenContender = (place: Place, tell: (text: string) => void) => Promise<Contending>;

export interface Call {
  readonly id: number;
  readonly name: keyof Actions | 'open' | 'close';
  readonly args: readonly unknown[];
}

export type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly told: string };
