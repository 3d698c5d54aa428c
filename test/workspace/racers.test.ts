/** Others at work at the same time: directories that turn into links, editors that save. Nothing is lost or escapes. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OptimisticLock } from '../../src/workspace/editing/optimistic-lock.ts';
import { random } from '../crash/random.ts';
import { unlessFull } from '../support/full.ts';
import { filesIn, grounds, put } from './ground.ts';

const newGround = grounds();
const rng = random('racers');
const ROUNDS = Number(process.env.RACER_ROUNDS ?? unlessFull(25, 400));

/** Runs as long as the process that starts it lets it. */
function startScript(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return {
    ready: new Promise<void>((resolve) => child.stdout.once('data', () => resolve())),
    async stop(): Promise<string> {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      await closed;
      return output;
    },
  };
}

const STOPPING = `let stop = false; process.stdin.on('end', () => { stop = true; }).resume();`;

function outsideDirectory(): string {
  const outside = newGround().root;
  put(outside, 'f', 'outside');
  put(outside, 'only-there', 'outside');
  return outside;
}

/** Now it is a directory, now a link: again and again, whatever others do to it. */
function swapForLink(dir: string, outside: string) {
  return startScript(
    `const fs = require('node:fs'); const [dir, outside] = process.argv.slice(1); ${STOPPING} console.log('ready');
     const turns = [
       () => fs.renameSync(dir, dir + '2'),
       () => fs.rmSync(dir, { recursive: true, force: true }),
       () => fs.symlinkSync(outside, dir),
       () => fs.unlinkSync(dir),
       () => fs.renameSync(dir + '2', dir),
       () => fs.mkdirSync(dir),
     ];
     (function turn() {
       for (let n = 0; n < 200; n++) for (const one of turns) try { one(); } catch {}
       if (!stop) setImmediate(turn);
     })();`,
    dir,
    outside,
  );
}

test('a directory that keeps turning into a link leads a restore nowhere', async () => {
  const { root, open } = newGround();
  const outside = outsideDirectory();
  put(root, 'dir/f', 'start');
  put(root, 'dir/gone', 'start');
  const workspace = await open();
  const { id: to } = await workspace.snapshot();
  const racer = swapForLink(join(root, 'dir'), outside);
  await racer.ready;
  let restored = 0;
  try {
    for (let round = 0; round < ROUNDS / 7 || restored === 0; round++) {
      const end = (await workspace.snapshot()).id;
      const result = await workspace
        .restore({ to, own: [{ from: to, to: end }], on_modified: 'use_checkpoint', on_deleted: 'restore' })
        .catch((error: unknown) => {
          expect(error).toHaveProperty('code');
          return null;
        });
      restored += result?.restored.length ?? 0;
      try {
        writeFileSync(join(root, 'dir/f'), `task ${round}`, { flag: 'r+' });
      } catch {}
      expect(readFileSync(join(outside, 'only-there'), 'utf8')).toBe('outside');
    }
  } finally {
    await racer.stop();
  }
  expect([...filesIn(outside).keys()]).toEqual(['f', 'only-there']);
  expect(readFileSync(join(outside, 'f'), 'utf8')).toMatch(/^outside$|^task \d+/);
});

test('a directory that keeps turning into a link leads a writer nowhere', async () => {
  const { root } = newGround();
  const outside = outsideDirectory();
  put(root, 'dir/f', 'start');
  const lock = await OptimisticLock.open(root);
  const racer = swapForLink(join(root, 'dir'), outside);
  await racer.ready;
  let written = 0;
  let refused = 0;
  try {
    // However long that takes: both have to be seen.
    for (let round = 0; round < ROUNDS || written === 0 || refused === 0; round++) {
      const path = rng.pick(['dir/f', `dir/new-${round}`, `dir/deep/new-${round}`]);
      try {
        await lock.acquire(path);
        if ((await lock.checkAndCommit(path, 'mine')).success) written++;
      } catch (error) {
        expect(error).toHaveProperty('code');
        refused++;
      }
    }
  } finally {
    await racer.stop();
    await lock.close();
  }
  expect([...filesIn(outside)].map(([path, thing]) => [path, 'bytes' in thing && thing.bytes])).toEqual([
    ['f', 'outside'],
    ['only-there', 'outside'],
  ]);
});

test.each(['in place', 'by renaming'])(
  'an editor that saves %s during a restore loses nothing',
  async (how) => {
    const { root, storage, open } = newGround();
    const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
    for (const name of names) put(root, name, 'start');
    const workspace = await open();
    const { id: to } = await workspace.snapshot();
    mkdirSync(join(root, '.vibe-engine'), { recursive: true });
    let contested = 0;
    for (let round = 0; round < 12; round++) {
      for (const name of names) put(root, name, `task ${round}`);
      const end = (await workspace.snapshot()).id;
      const editor = startScript(
        `const fs = require('node:fs'); const [root, how, round] = process.argv.slice(1); ${STOPPING} console.log('ready');
       const last = {}; let n = 0;
       (function turn() {
         for (let i = 0; i < 3; i++) {
           const name = 'f' + Math.floor(Math.random() * 20), text = 'saved ' + round + ' ' + n++;
           if (how === 'in place') fs.writeFileSync(root + '/' + name, text);
           else { fs.writeFileSync(root + '/.vibe-engine/tmp', text); fs.renameSync(root + '/.vibe-engine/tmp', root + '/' + name); }
           last[name] = text;
         }
         if (!stop) setTimeout(turn, 1); else console.log(JSON.stringify(last));
       })();`,
        root,
        how,
        String(round),
      );
      await editor.ready;
      const result = await workspace.restore({
        to,
        own: [{ from: to, to: end }],
        on_modified: 'use_current',
        on_deleted: 'skip',
      });
      const last = JSON.parse((await editor.stop()).split('\n')[1]!) as Record<string, string>;
      contested += result.left.length + result.displaced.length;
      const kept = new Set<string>();
      for (const { blob } of result.displaced) {
        kept.add(Buffer.from((await (await storage()).getBlob(null, blob))!).toString());
      }
      for (const name of names) {
        const now = readFileSync(join(root, name), 'utf8');
        if (last[name] === undefined) expect(now).toBe('start');
        else expect([now, ...kept], name).toContain(last[name]);
      }
    }
    console.log(`saved ${how}: ${contested} files were contested`);
  },
);
