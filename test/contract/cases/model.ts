/** Random histories against a model in memory: whatever was done, the store says the same as the model. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { next, START } from '../../../src/storage/chain.ts';
import type { Position, Storage } from '../../../src/storage/contract.ts';
import { encode } from '../../../src/storage/serialize.ts';
import { unlessFull } from '../../support/full.ts';
import { type Cases, type Context, runCase } from '../harness.ts';
import { collect, expectCode, expectHealthy } from '../support.ts';

interface Model {
  /** By `category/key`. */
  readonly records: Map<string, { data: unknown; revision: number }>;
  readonly journals: Map<string, { end: Position; entries: [number, unknown][] }>;
  /** Revisions only grow, also over deletes. */
  readonly highest: Map<string, number>;
}

type Command = fc.AsyncCommand<Model, Context>;

const TASKS = ['t1', 't2'];
const task = fc.constantFrom(...TASKS);
const key = fc.constantFrom('a', 'b', 'b/c');
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.bigInt(),
  fc.date({ noInvalidDate: true }),
  fc.string({ unit: 'binary' }),
);

const journalOf = (model: Model, name: string) => model.journals.get(name) ?? { end: START, entries: [] };

function noteWrite(model: Model, place: string, data: unknown, revision: number): void {
  expect(revision).toBeGreaterThan(model.highest.get(place) ?? 0);
  model.highest.set(place, revision);
  model.records.set(place, { data, revision });
}

function command(name: string, run: (model: Model, context: Context) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

const save = fc.tuple(key, value).map(([k, data]) =>
  command(`save ${k} ${fc.stringify(data)}`, async (model, { store }) => {
    const { records } = await store.commit({ task: null, records: [{ category: 'config', key: k, data }] });
    expect(records[0]!.existed).toBe(model.records.has(`config/${k}`));
    noteWrite(model, `config/${k}`, data, records[0]!.revision);
  }),
);

const remove = key.map((k) =>
  command(`delete ${k}`, async (model, { store }) => {
    expect(await store.delete('config', k)).toBe(model.records.delete(`config/${k}`));
  }),
);

const commit = fc
  .record({ t: task, entries: fc.array(value, { maxLength: 3 }), data: value, stale: fc.boolean() })
  .map(({ t, entries, data, stale }) =>
    command(
      `commit ${t} ${fc.stringify(entries)} ${fc.stringify(data)} ${stale ? 'stale' : ''}`,
      async (model, { store }) => {
        const place = `tasks/${t}/state`;
        const journal = journalOf(model, t);
        const known = model.records.get(place)?.revision ?? 0;
        const committing = store.commit({
          task: t,
          append: { after: journal.end, entries },
          records: [{ category: 'tasks', key: `${t}/state`, data, expect: known + (stale ? 1 : 0) }],
        });
        if (stale) return expectCode(committing, 'STALE_WRITE');
        const { position, records } = await committing;
        noteWrite(model, place, data, records[0]!.revision);
        const added = entries.map((entry, i): [number, unknown] => [journal.end.seq + 1 + i, entry]);
        const end = entries.reduce((at: Position, entry) => next(at, encode(entry)), journal.end);
        expect(position).toEqual(end);
        model.journals.set(t, { end, entries: [...journal.entries, ...added] });
      },
    ),
  );

const cut = fc.tuple(task, fc.nat(1000), fc.nat(3)).map(([t, at, more]) =>
  command(`cut ${t} ${at} ${more}`, async (model, { store }) => {
    const journal = model.journals.get(t);
    if (!journal || journal.end.seq === 0) return;
    const from = 1 + (at % journal.end.seq);
    const to = from + more;
    await store.commit({ task: t, cut: { from, to } });
    journal.entries = journal.entries.filter(([seq]) => seq < from || seq > to);
  }),
);

const compact = task.map((t) =>
  command(`compact ${t}`, async (_, { store }) => {
    expect(await store.compact(t)).toBeGreaterThanOrEqual(0);
  }),
);

const removeTask = task.map((t) =>
  command(`remove ${t}`, async (model, { store }) => {
    const had = [model.records.delete(`tasks/${t}/state`), model.journals.delete(t)].some(Boolean);
    expect(await store.removeTask(t)).toBe(had);
  }),
);

const reopen = fc.constant(
  command('reopen', async (_, context) => {
    await context.reopen();
  }),
);

/** The store, read in full, is the model. */
async function compare(model: Model, store: Storage): Promise<void> {
  for (const category of ['config', 'tasks']) {
    const places = [...model.records.keys()].filter((place) => place.startsWith(`${category}/`));
    expect(await store.list(category)).toEqual(
      places.map((place) => place.slice(category.length + 1)).sort(),
    );
    for (const place of places) {
      const { data, revision } = model.records.get(place)!;
      const found = await store.get(category, place.slice(category.length + 1));
      expect(found).toMatchObject({ revision });
      expect(found!.data).toEqual(data);
    }
  }
  for (const t of TASKS) {
    const { end, entries } = journalOf(model, t);
    expect(await store.position(t)).toEqual(end);
    const found = await collect(store.read(t));
    expect(found.map(({ seq, data }) => [seq, data])).toEqual(entries);
    expect((await collect(store.read(t, { reverse: true }))).reverse()).toEqual(found);
  }
  await expectHealthy(store);
}

export const modelCases: Cases = {
  'random histories of saves, deletes, commits, cuts, compactions, removals and reopenings': async ({
    harness,
  }) => {
    const commands = fc.commands([save, remove, commit, commit, cut, compact, removeTask, reopen], {
      maxCommands: 30,
    });
    await fc.assert(
      fc.asyncProperty(commands, (history) =>
        runCase(harness, async (context) => {
          const model: Model = { records: new Map(), journals: new Map(), highest: new Map() };
          await fc.asyncModelRun(() => ({ model, real: context }), history);
          await compare(model, context.store);
          await context.reopen();
          await compare(model, context.store);
        }),
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? unlessFull(harness.sealed ? 1 : 3, 50)) },
    );
  },
};
