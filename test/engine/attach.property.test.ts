/**
 * Random sessions of an agent beside a person who edits in between: going back to any prompt leaves each file as a model of
 * who wrote what says, and the conversation ends exactly there; a redo brings both back.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Attached } from '../../src/engine/api/attaching.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { unlessFull } from '../support/full.ts';
import { onEachStore } from './stores.ts';

const PATHS = ['a.txt', 'b.txt', 'c.txt', 'd.txt'] as const;
const path = fc.constantFrom(...PATHS);
const change = fc.record({ path, remove: fc.boolean() });

const act = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('turn' as const), rested: fc.boolean() }), weight: 3 },
  { arbitrary: fc.record({ do: fc.constant('write' as const), change }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constant('shell' as const),
      changes: fc.array(change, { maxLength: 3 }),
      agent: fc.boolean(),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom('drop' as const, 'lose' as const, 'crash' as const) }),
    weight: 1,
  },
  { arbitrary: fc.record({ do: fc.constant('person' as const), change }), weight: 3 },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

interface Written {
  readonly path: string;
  readonly by: 'agent' | 'person';
  readonly content: string | null;
}

class Story {
  readonly #dir: string;
  readonly #open: () => Promise<Engine>;
  readonly #hasty: boolean;
  engine: Engine;
  #session: Attached;
  #n = 0;
  task: string | null = null;
  readonly written: Written[] = [];
  /** Where each turn began, in what was written, and its prompt. */
  readonly turns: { readonly from: number; readonly prompt: string }[] = [];

  constructor(dir: string, engine: Engine, open: () => Promise<Engine>, hasty: boolean) {
    this.#dir = dir;
    this.#open = open;
    this.#hasty = hasty;
    this.engine = engine;
    this.#session = attach(engine, hasty);
  }

  #write(by: Written['by'], { path, remove }: { path: string; remove: boolean }): void {
    const at = join(this.#dir, path);
    const content = remove ? null : `${by} ${++this.#n}\n`;
    if (content === null && !existsSync(at)) return;
    if (content === null) rmSync(at);
    else writeFileSync(at, content);
    this.written.push({ path, by, content });
  }

  async act(one: Act): Promise<void> {
    if (one.do === 'person') return this.#write('person', one.change);
    if (one.do === 'turn') {
      if (one.rested) await this.#session.endTurn();
      const prompt = `prompt ${this.turns.length + 1}`;
      this.turns.push({ from: this.written.length, prompt });
      await this.#session.record({ type: 'turn', content: prompt, ref: prompt });
      this.task = this.#session.task;
      return;
    }
    if (this.turns.length === 0) return;
    if (one.do === 'crash') return this.#again();
    await this.#call(one);
  }

  async #call(one: Exclude<Act, { do: 'person' | 'turn' }>): Promise<void> {
    const id = `call-${++this.#n}`;
    const call = { type: 'tool_call', id, name: one.do } as const;
    const session = this.#session;
    if (one.do === 'write') {
      const writes = [join(this.#dir, one.change.path)];
      await session.record({ ...call, danger: 'file_change', writes });
      this.#write('agent', one.change);
    } else {
      const agent = one.do === 'shell' && one.agent ? { agent: 'helper' } : {};
      await session.record({ ...call, ...agent, danger: 'shell_command' });
      if (one.do === 'shell') for (const change of one.changes) this.#write('agent', change);
    }
    if (one.do === 'drop') await session.record({ type: 'tool_dropped', id });
    else if (one.do === 'lose') await session.endTurn();
    else await session.record({ type: 'tool_result', id, output: 'ok' });
  }

  /** The process ends where it is, and another goes on. */
  async #again(): Promise<void> {
    await this.engine.close();
    this.engine = await this.#open();
    this.#session = attach(this.engine, this.#hasty);
  }

  async end(): Promise<void> {
    await this.#session.close();
  }

  files(): Map<string, string | null> {
    const read = (path: string): string | null =>
      existsSync(join(this.#dir, path)) ? readFileSync(join(this.#dir, path), 'utf8') : null;
    return new Map(PATHS.map((path) => [path, read(path)]));
  }

  /**
   * Each file may be one of these: without the agent's changes since a turn. Where a person changed a file after the agent, they
   * are asked and keep it; where the agent changed it once more, as it is or as the person left it. A file that a person made where
   * there was none, and removed again, may count as nothing. What a person wrote last is never among what may go.
   */
  expectedAt(turn: number): Map<string, readonly (string | null)[]> {
    const { from } = this.turns[turn]!;
    return new Map(
      [...this.files()].map(([path, now]) => {
        const all = this.written.filter((one) => one.path === path);
        const before = this.written.slice(0, from).findLast((one) => one.path === path)?.content ?? null;
        const since = this.written.slice(from).filter((one) => one.path === path);
        expect(all.at(-1)?.content ?? null).toBe(now);
        const either = [...allowed(before, since), ...allowed(before, withoutPassing(before, since))];
        if (since.at(-1)?.by === 'person' && now !== null) expect(new Set(either)).toEqual(new Set([now]));
        return [path, either];
      }),
    );
  }
}

function allowed(before: string | null, since: readonly Written[]): (string | null)[] {
  const now = since.at(-1)?.content ?? (since.length > 0 ? null : before);
  const last = since.findLastIndex(({ by }) => by === 'person');
  const agents = since.findIndex(({ by }) => by === 'agent');
  if (agents < 0) return [now];
  if (agents < last) return [now, since[last]!.content];
  return [last < 0 ? before : since[last]!.content];
}

/** Without files that a person made where there was none, and removed again before the agent's next change. */
function withoutPassing(before: string | null, since: readonly Written[]): Written[] {
  const left: Written[] = [];
  for (const [at, one] of since.entries()) {
    left.push(one);
    if (one.by === 'agent' || one.content !== null || since[at + 1]?.by === 'person') continue;
    const start = left.findLastIndex(({ by }) => by === 'agent') + 1;
    const none = (left[start - 1]?.content ?? (start > 0 ? null : before)) === null;
    if (none) left.length = start;
  }
  return left;
}

/** `hasty`: results are answered before the files are looked at, and the person edits in the meantime. */
function attach(engine: Engine, hasty: boolean): Attached {
  return engine.attach({ client: 'claude', session: 'one', ...(hasty ? { patience_ms: 0 } : {}) });
}

const ANYHOW = { on_modified: 'use_current', on_deleted: 'skip' } as const;

onEachStore((fresh) => {
  test('going back to any prompt, and forward again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { minLength: 5, maxLength: 25 }),
        fc.nat(100),
        fc.boolean(),
        async (acts, which, hasty) => {
          const store = await fresh();
          const open = () => store.open({ workspace: true, auto_save: false });
          const story = new Story(store.dir, await open(), open, hasty);
          for (const one of [{ do: 'turn', rested: false } as const, ...acts]) await story.act(one);
          await story.end();
          const { engine, turns } = story;
          const task = story.task!;
          const listed = (await engine.checkpoints.listCheckpoints(task)).filter(
            ({ trigger }) => trigger === 'before_turn',
          );
          expect(listed.map(({ metadata }) => metadata?.prompt)).toEqual(turns.map(({ prompt }) => prompt));
          const turn = which % turns.length;
          const [before, expected] = [story.files(), story.expectedAt(turn)];
          await engine.rollback(listed[turn]!.id, ANYHOW);
          for (const [path, content] of story.files())
            expect([path, expected.get(path)]).toEqual([path, expect.arrayContaining([content])]);
          const { messages } = (await engine.checkpoints.loadCheckpoint(listed[turn]!.id))!.context;
          expect(messages.map(({ content }) => content)).toEqual(
            turns.slice(0, turn).map(({ prompt }) => prompt),
          );
          await engine.redo(task, ANYHOW);
          expect(story.files()).toEqual(before);
          await engine.close();
        },
      ),
      { numRuns: unlessFull(20, 200), endOnFailure: true },
    );
  });
});
