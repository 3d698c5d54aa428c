import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { START } from '../../src/storage/chain.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { setIoHook } from '../../src/system/io.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();

async function withStore<T>(root: string, run: (store: Storage) => Promise<T>): Promise<T> {
  const store = await openJsonStorage({ root });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/** A task with `count` journal entries and a state record, and the store closed. */
async function storeWithTask(
  count = 3,
): Promise<{ root: string; log: string; state: string; index: string }> {
  const root = tempDir();
  await withStore(root, async (store) => {
    const { fence } = await store.claim('t1');
    let after = START;
    for (let n = 1; n <= count; n++) {
      const records = [{ category: 'tasks', key: 't1/state', data: { n } }];
      const receipt = await store.commit({ task: 't1', fence, append: { after, entries: [{ n }] }, records });
      after = receipt.position!;
    }
  });
  const dir = join(root, 'tasks/t1');
  return {
    root,
    log: join(dir, 'journal.log'),
    state: join(dir, 'state.json'),
    index: join(dir, 'views.index'),
  };
}

async function entries(store: Storage, task = 't1'): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { data } of store.read(task)) found.push(data);
  return found;
}

describe('layout', () => {
  it('saves a record at {root}/{category}/{key}.json and says so', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      const path = await store.save('conversation', 'team/c1', { a: 1 });
      expect(path).toBe(join(root, 'conversation/team/c1.json'));
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ a: 1 });
      await store.delete('conversation', 'team/c1');
      expect(existsSync(path)).toBe(false);
    });
  });

  it('keeps itself out of git and from other users, but not the directory of others', async () => {
    const root = join(tempDir(), '.vibe-engine');
    await withStore(root, (store) => store.save('config', 'x', 1));
    expect(readFileSync(join(root, '.gitignore'), 'utf8')).toBe('*\n!config.json\n');
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'config/x.json')).mode & 0o777).toBe(0o600);
    const project = tempDir();
    writeFileSync(join(project, 'README.md'), 'mine');
    await withStore(project, (store) => store.save('config', 'x', 1));
    expect(existsSync(join(project, '.gitignore'))).toBe(false);
  });

  it('puts blobs under context/ or blobs/ by their kind', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      const bytes = new TextEncoder().encode('x');
      const ids = await store.putBlobs('t1', [
        { kind: 'tool_results', bytes },
        { kind: 'messages', bytes },
      ]);
      expect(existsSync(join(root, 'tasks/t1/context', ids[0]!))).toBe(true);
      expect(existsSync(join(root, 'tasks/t1/blobs', ids[1]!))).toBe(true);
    });
  });
});

describe('views', () => {
  it('are exact when the owner releases the task', async () => {
    const { state } = await storeWithTask(3);
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ n: 3, $store: { revision: 3 } });
  });

  it('follow a running task without being asked', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      const { fence } = await store.claim('t1');
      await store.commit({
        task: 't1',
        fence,
        records: [{ category: 'tasks', key: 't1/state', data: { n: 1 } }],
      });
      const state = join(root, 'tasks/t1/state.json');
      while (!existsSync(state)) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ n: 1 });
    });
  });

  it('are not trusted: a torn, changed, missing or old one is read from the log', async () => {
    const { root, state } = await storeWithTask(3);
    const good = readFileSync(state);
    const spoilt = [
      good.subarray(0, 10),
      Buffer.from(good.toString().replace('3', '4')),
      Buffer.alloc(0),
      null,
    ];
    for (const bytes of spoilt) {
      if (bytes) writeFileSync(state, bytes);
      else rmSync(state);
      await withStore(root, async (store) => expect(await store.load('tasks', 't1/state')).toEqual({ n: 3 }));
    }
  });

  it('are found without their index', async () => {
    const { root, index } = await storeWithTask(3);
    for (const bytes of ['', 'nonsense\nabc\n', null]) {
      if (bytes === null) rmSync(index);
      else writeFileSync(index, bytes);
      await withStore(root, async (store) => {
        expect(await store.load('tasks', 't1/state')).toEqual({ n: 3 });
        expect(await store.list('tasks')).toEqual(['t1/state']);
      });
    }
  });

  it('that are torn, missing or old are written again when the task is claimed', async () => {
    const { root, state } = await storeWithTask(3);
    const good = readFileSync(state, 'utf8');
    for (const bytes of ['torn', good.replace('3', '2'), null]) {
      if (bytes === null) rmSync(state);
      else writeFileSync(state, bytes);
      await withStore(root, async (store) => (await store.claim('t1')).release());
      expect(readFileSync(state, 'utf8')).toBe(good);
    }
  });

  it('that a crash brought back after their removal stay unseen', async () => {
    const { root, state } = await storeWithTask(1);
    const old = readFileSync(state);
    await withStore(root, (store) => store.delete('tasks', 't1/state'));
    writeFileSync(state, old);
    await withStore(root, async (store) => {
      expect(await store.load('tasks', 't1/state')).toBeNull();
      expect(await store.list('tasks')).toEqual([]);
    });
  });

  it('of what came and went between two flushes are never made, others go with their record', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      const { fence } = await store.claim('t1');
      const commit = (...names: readonly [name: string, data: number | null][]) =>
        store.commit({
          task: 't1',
          fence,
          records: names.map(([name, data]) =>
            data === null
              ? { category: 'tasks', key: `t1/${name}`, remove: true as const }
              : { category: 'tasks', key: `t1/${name}`, data },
          ),
        });
      const views = () => readdirSync(join(root, 'tasks/t1')).filter((name) => name.endsWith('.json'));
      await commit(['a', 1], ['b', 1]);
      await store.flush();
      await commit(['a', 2], ['c', 1]);
      await commit(['a', null], ['c', null]);
      await commit(['d', 1]);
      await commit(['d', null]);
      await commit(['d', 2]);
      await store.flush();
      expect(views().sort()).toEqual(['b.json', 'd.json']);
      expect(await store.load('tasks', 't1/d')).toBe(2);
      await commit(['d', null]);
      await store.flush();
      expect(views()).toEqual(['b.json']);
    });
  });

  it('keep what is no object, and an object with the names the store uses', async () => {
    const root = tempDir();
    const values = [null, 0, 'text', [1], {}, { $store: 1 }, { $value: { $store: 2 } }];
    for (const value of values) {
      await withStore(root, (store) => store.save('config', 'v', value));
      await withStore(root, async (store) => expect(await store.load('config', 'v')).toEqual(value));
    }
  });
});

describe('the log', () => {
  it('loses a torn tail that was never acknowledged, and goes on', async () => {
    const { root, log, index } = await storeWithTask(3);
    const torn = ['abc', `${'0'.repeat(64)} 5 100 {"at":`, '\0'.repeat(700)];
    for (const bytes of torn) {
      rmSync(index, { force: true });
      appendFileSync(log, bytes);
      await withStore(root, async (store) => {
        const before = await entries(store);
        const after = await store.position('t1');
        await store.commit({ task: 't1', append: { after, entries: ['more'] } });
        expect(await entries(store)).toEqual([...before, 'more']);
      });
    }
  });

  it('has room behind it while it is owned, which it gives back', async () => {
    const root = tempDir();
    const log = join(root, 'tasks/t1/journal.log');
    await withStore(root, async (store) => {
      const { fence, release } = await store.claim('t1');
      const sizes = new Set<number>();
      let after = START;
      for (let n = 0; n < 60; n++) {
        after = (await store.commit({ task: 't1', fence, append: { after, entries: ['x'.repeat(100)] } }))
          .position!;
        sizes.add(statSync(log).size);
      }
      expect(sizes.size).toBeLessThan(30);
      expect(readFileSync(log).at(-1)).toBe(0);
      expect(await entries(store)).toHaveLength(60);
      await release();
      expect(readFileSync(log).at(-1)).toBe(10);
      expect(await entries(store)).toHaveLength(60);
    });
  });

  it('loses an append of which not all sectors got into that room, wherever it begins', async () => {
    const { root, log, index } = await storeWithTask(3);
    rmSync(index);
    const whole = readFileSync(log);
    await withStore(root, async (store) => {
      const after = await store.position('t1');
      await store.commit({ task: 't1', append: { after, entries: ['y'.repeat(2000)] } });
    });
    const append = readFileSync(log).subarray(whole.length);
    const sector = (at: number): number => Math.floor((whole.length + at) / 512);
    const sectors = sector(append.length) - sector(0) + 1;
    for (let mask = 0; mask < 2 ** sectors - 1; mask++) {
      const written = append.map((byte, at) => ((mask >> (sector(at) - sector(0))) & 1 ? byte : 0));
      writeFileSync(log, Buffer.concat([whole, written, Buffer.alloc(3000)]));
      rmSync(index, { force: true });
      await withStore(root, async (store) => {
        expect(await entries(store)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
        const { fence } = await store.claim('t1');
        const after = await store.position('t1');
        await store.commit({ task: 't1', fence, append: { after, entries: ['on'] } });
        expect(await entries(store)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, 'on']);
      });
    }
  });

  it('that holds no whole commit makes no task', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      await store.save('tasks', 't1/state', 'x'.repeat(10_000));
      expect((await store.tasks()).keys).toEqual(['t1']);
    });
    const log = join(root, 'tasks/t1/journal.log');
    rmSync(join(root, 'tasks/t1/views.index'));
    for (const size of [statSync(log).size - 1, 5000, readFileSync(log).indexOf('\n') + 1]) {
      truncateSync(log, size);
      await withStore(root, async (store) => expect((await store.tasks()).keys).toEqual([]));
    }
  });

  it('stops at damage: what is before it loads, and repair goes on from there with a copy kept', async () => {
    const { root, log } = await storeWithTask(5);
    const bytes = readFileSync(log);
    const third = bytes.indexOf('{"n":3}', bytes.indexOf('\n'));
    bytes[bytes.indexOf('3', third)] = '7'.charCodeAt(0);
    writeFileSync(log, bytes);
    await withStore(root, async (store) => {
      const found: unknown[] = [];
      await expect(async () => {
        for await (const { data } of store.read('t1')) found.push(data);
      }).rejects.toMatchObject({ code: 'CORRUPT' });
      expect(found).toEqual([{ n: 1 }, { n: 2 }]);
      const repair = await store.repair('t1');
      expect(repair?.kept.seq).toBe(2);
      expect(readFileSync(join(repair!.aside, 'journal.log')).equals(bytes)).toBe(true);
      expect(await entries(store)).toEqual([{ n: 1 }, { n: 2 }]);
      // Records are whole wherever they lie: behind the damage, too.
      expect(await store.load('tasks', 't1/state')).toEqual({ n: 5 });
      expect(await store.repair('t1')).toBeNull();
      await store.commit({ task: 't1', append: { after: repair!.kept, entries: ['on'] } });
      expect(await entries(store)).toEqual([{ n: 1 }, { n: 2 }, 'on']);
    });
  });

  it.each(['its index', 'a record beside it'])('that is shorter than %s says is damaged', async (what) => {
    const { root, log } = await storeWithTask(3);
    truncateSync(log, statSync(log).size - 5);
    if (what !== 'its index') rmSync(join(dirname(log), 'views.index'));
    await withStore(root, async (store) => {
      await expect(store.save('tasks', 't1/state', 1)).rejects.toMatchObject({ code: 'CORRUPT' });
      const { fence, release } = await store.claim('t1');
      const records = [{ category: 'tasks', key: 't1/state', data: 1 }];
      await expect(store.commit({ task: 't1', fence, records })).rejects.toMatchObject({ code: 'CORRUPT' });
      expect(await store.load('tasks', 't1/state')).toEqual({ n: 3 });
      expect((await store.repair('t1', { fence }))?.kept.seq).toBe(2);
      expect(await store.load('tasks', 't1/state')).toEqual({ n: 3 });
      await release();
    });
  });

  it('of records outside tasks starts again when it is long, and keeps every record', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      const big = 'x'.repeat(500_000);
      for (let n = 0; n < 20; n++) await store.save('conversation', `c${n % 7}`, { n, big });
      const keys = await store.list('conversation');
      expect(keys).toHaveLength(7);
      const revisions = await Promise.all(
        keys.map(async (key) => (await store.get('conversation', key))!.revision),
      );
      expect(new Set(revisions).size).toBe(7);
      expect(Math.max(...revisions)).toBe(20);
      expect(statSync(join(root, 'records.log')).size).toBeLessThan(5_000_000);
    });
  });

  it('of records outside tasks, when damaged, hides no record that has its view, and can be repaired', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      for (const key of ['a', 'b', 'c']) await store.save('config', key, `value of ${key}`);
    });
    const log = join(root, 'records.log');
    writeFileSync(log, readFileSync(log, 'utf8').replace('value of b', 'value of X'));
    await withStore(root, async (store) => {
      expect(await store.load('config', 'a')).toBe('value of a');
      expect(await store.load('config', 'b')).toBe('value of b');
      expect(await store.load('config', 'c')).toBe('value of c');
      const before = (await store.get('config', 'c'))!.revision;
      await expect(store.save('config', 'c', 'new')).rejects.toMatchObject({ code: 'CORRUPT' });
      const repair = await store.repair(null);
      expect(readFileSync(join(repair!.aside, 'records.log'), 'utf8')).toContain('value of X');
      expect(await store.repair(null)).toBeNull();
      await store.save('config', 'c', 'new');
      expect((await store.get('config', 'c'))!.revision).toBeGreaterThan(before);
      expect(await store.list('config')).toEqual(['a', 'b', 'c']);
    });
  });

  it('of very many records outside tasks starts again often enough to delay nobody', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      for (let n = 0; n < 450; n++) await store.save('config', `k${n}`, n);
      expect(await store.list('config')).toHaveLength(450);
      expect(await store.load('config', 'k7')).toBe(7);
      const lines = readFileSync(join(root, 'records.log'), 'utf8').split('\n').length;
      expect(lines).toBeLessThan(210);
    });
  });

  it('refuses, before anything is written, a key whose file name would be too long', async () => {
    await withStore(tempDir(), async (store) => {
      await expect(store.save('config', '%'.repeat(100), 1)).rejects.toMatchObject({ code: 'INVALID_KEY' });
      expect(await store.list('config')).toEqual([]);
    });
  });

  it('is read without a false alarm while another process creates, compacts and removes the task', async () => {
    const root = tempDir();
    await withStore(root, async (writer) => {
      await withStore(root, async (reader) => {
        for (let n = 0; n < 60; n++) {
          await writer.save('tasks', 't1/state', n);
          await writer.commit({
            task: 't1',
            append: { after: await writer.position('t1'), entries: [n, n] },
          });
          const reading = reader.read('t1', { reverse: true });
          await writer.commit({ task: 't1', cut: { from: 1, to: 1 } });
          await writer.compact('t1');
          const seen: unknown[] = [];
          for await (const { data } of reading) seen.push(data);
          expect(seen).toContain(n);
          const loading = reader.load('tasks', 't1/state');
          await writer.removeTask('t1');
          expect([n, null]).toContain(await loading);
        }
      });
    });
  });

  it('is written by several owners one after the other with growing fences', async () => {
    const root = tempDir();
    const fences: number[] = [];
    for (let n = 0; n < 3; n++) {
      await withStore(root, async (store) => {
        const { fence } = await store.claim('t1');
        fences.push(fence);
        await store.commit({
          task: 't1',
          fence,
          append: { after: await store.position('t1'), entries: [n] },
        });
      });
      rmSync(join(root, 'locks'), { recursive: true });
    }
    expect(fences).toEqual([1, 2, 3]);
  });
});

describe('a compacted log', () => {
  it('that loses its end is damaged, and its records are still there', async () => {
    const { root, log } = await storeWithTask(20);
    await withStore(root, (store) => store.compact('t1'));
    truncateSync(log, statSync(log).size - 50);
    await withStore(root, async (store) => {
      expect(await store.load('tasks', 't1/state')).toEqual({ n: 20 });
      await expect(store.position('t1')).rejects.toMatchObject({ code: 'CORRUPT' });
      await store.repair('t1');
      expect(await store.load('tasks', 't1/state')).toEqual({ n: 20 });
      expect(await entries(store)).toHaveLength(20);
    });
  });
});

describe('many commits', () => {
  it('and reads outside tasks leave timers their turn too', async () => {
    await withStore(tempDir(), async (store) => {
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      for (let n = 0; n < 20_000 && ticks === 0; n++) await store.save('config', 'a', n);
      const afterSaves = ticks;
      for (let n = 0; n < 20_000 && ticks === afterSaves; n++) await store.load('config', 'a');
      clearInterval(timer);
      expect(afterSaves).toBeGreaterThan(0);
      expect(ticks).toBeGreaterThan(afterSaves);
    });
  });

  it('one after the other leave timers their turn', async () => {
    await withStore(tempDir(), async (store) => {
      const { fence } = await store.claim('t1');
      let ticks = 0;
      const timer = setInterval(() => ticks++, 1);
      let after = START;
      for (let n = 0; n < 20_000 && ticks < 2; n++) {
        after = (await store.commit({ task: 't1', fence, append: { after, entries: [n] } })).position!;
      }
      clearInterval(timer);
      expect(ticks).toBeGreaterThan(1);
    });
  });

  it('of one task do not hold up the flush or the compaction of another', async () => {
    await withStore(tempDir(), async (store) => {
      const busy = await store.claim('busy');
      const calm = await store.claim('calm');
      let stop = false;
      const work = (async () => {
        for (let after = START; !stop; ) {
          const append = { after, entries: ['more'] };
          after = (await store.commit({ task: 'busy', fence: busy.fence, append })).position!;
        }
      })();
      for (let n = 0; n < 20; n++) {
        await store.flush();
        await store.compact('calm', { fence: calm.fence });
        await store.compact('busy', { fence: busy.fence });
      }
      stop = true;
      await work;
    });
  });

  it('that are stale, of several tasks at once, all get their answer', async () => {
    await withStore(tempDir(), async (store) => {
      const stale = { seq: 7, hash: 'f'.repeat(64) };
      const claims = [await store.claim('t1'), await store.claim('t2')];
      const answers = claims.flatMap(({ task, fence }) =>
        [1, 2].map((entry) => store.commit({ task, fence, append: { after: stale, entries: [entry] } })),
      );
      const ends = await Promise.allSettled(answers);
      expect(ends.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    });
  });
});

describe('what is not ours', () => {
  it('is refused: a file where the directory should be', async () => {
    const root = join(tempDir(), 'notes.txt');
    writeFileSync(root, 'mine');
    await expect(openJsonStorage({ root })).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
    expect(readFileSync(root, 'utf8')).toBe('mine');
  });

  it('is refused: a store of a newer version, a foreign store.json, tasks without one', async () => {
    const root = tempDir();
    const file = join(root, 'store.json');
    const newer = { format: 'vibe-engine-json', version: 99, id: 'x', created_at: '', case_sensitive: true };
    for (const [content, code] of [
      [JSON.stringify(newer), 'STORE_NEWER'],
      ['{"name":"something else"}', 'STORE_FOREIGN'],
      ['not json', 'STORE_FOREIGN'],
    ] as const) {
      writeFileSync(file, content);
      await expect(openJsonStorage({ root })).rejects.toMatchObject({ code });
      expect(readFileSync(file, 'utf8')).toBe(content);
    }
    rmSync(file);
    mkdirSync(join(root, 'tasks/t9'), { recursive: true });
    await expect(openJsonStorage({ root })).rejects.toMatchObject({ code: 'STORE_FOREIGN' });
  });

  it('a foreign file among the records is an error when read and stays as it is', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      await store.save('conversation', 'mine', 1);
      const path = join(root, 'conversation/theirs.json');
      writeFileSync(path, '{"hello": "world"}');
      await expect(store.load('conversation', 'theirs')).rejects.toMatchObject({ code: 'CORRUPT' });
      await expect(store.save('conversation', 'theirs', 2)).rejects.toMatchObject({ code: 'CORRUPT' });
      expect(readFileSync(path, 'utf8')).toBe('{"hello": "world"}');
      expect(await store.load('conversation', 'mine')).toBe(1);
    });
  });

  it('no temporary file is left behind', async () => {
    const { root } = await storeWithTask(2);
    const names = readdirSync(root, { recursive: true }) as string[];
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('a failing disk', () => {
  it('stops the writing for good when a sync fails, until it is opened again', async () => {
    const root = tempDir();
    const store = await openJsonStorage({ root });
    try {
      const { fence } = await store.claim('t1');
      const append = (after: typeof START, entry: string) =>
        store.commit({ task: 't1', fence, append: { after, entries: [entry] } });
      const first = await append(START, 'one');
      setIoHook(({ op }) => (op === 'fdatasync' ? { errno: 'EIO' } : undefined));
      await expect(append(first.position!, 'two')).rejects.toMatchObject({ code: 'IO_FAILED' });
      setIoHook(undefined);
      await expect(append(first.position!, 'two')).rejects.toMatchObject({ code: 'STORE_POISONED' });
      await expect(store.save('config', 'a', 1)).rejects.toMatchObject({ code: 'STORE_POISONED' });
      expect(await store.position('t1')).toEqual(first.position);
    } finally {
      setIoHook(undefined);
      await store.close();
    }
    await withStore(root, (again) => again.save('config', 'a', 1));
  });

  it('writes behind a line that is on the disk but could not be acknowledged', async () => {
    const root = tempDir();
    const store = await openJsonStorage({ root });
    const bytes = Buffer.from('brought along');
    let id = '';
    let end = START;
    try {
      const { fence } = await store.claim('t1');
      const append = (entry: string) =>
        store.commit({ task: 't1', fence, append: { after: end, entries: [entry] } });
      end = (await append('one')).position!;
      let isSynced = false;
      setIoHook(({ op, path }) => {
        if (op === 'fdatasync') isSynced = true;
        return isSynced && op === 'read' && path.includes('fences') ? { errno: 'EIO' } : undefined;
      });
      [id = ''] = await store.promiseBlobs([{ kind: 'file', bytes }]);
      await expect(append('two, which is long '.repeat(100))).rejects.toMatchObject({ code: 'IO_FAILED' });
      setIoHook(undefined);
      end = (await store.position('t1'))!;
      expect(end.seq).toBe(2);
      await append('three');
    } finally {
      setIoHook(undefined);
      await store.close();
    }
    await withStore(root, async (again) => {
      const texts = [];
      for await (const { data } of again.read('t1')) texts.push(String(data).slice(0, 5));
      expect(texts).toEqual(['one', 'two, ', 'three']);
      expect(Buffer.from((await again.getBlob(null, id))!).equals(bytes)).toBe(true);
    });
  });

  it('takes back what went when the disk is full, and goes on when there is room', async () => {
    const root = tempDir();
    await withStore(root, async (store) => {
      await store.save('config', 'a', 1);
      let writes = 0;
      setIoHook(({ op, path }) => {
        if (op !== 'write' || !path.endsWith('records.log')) return undefined;
        return writes++ === 0 ? { short: 7 } : { errno: 'ENOSPC' };
      });
      await expect(store.save('config', 'a', 2)).rejects.toMatchObject({ code: 'DISK_FULL' });
      setIoHook(undefined);
      expect(await store.load('config', 'a')).toBe(1);
      await store.save('config', 'a', 3);
    });
    await withStore(root, async (store) => expect(await store.load('config', 'a')).toBe(3));
  });
});
