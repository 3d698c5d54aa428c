/** A person saves a file at one instant of a restore after the other, between any two of its calls to the disk. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setIoHook } from '../../src/system/io.ts';
import { unlessFull } from '../support/full.ts';
import { type Ground, grounds, put } from './ground.ts';

const newGround = grounds();
/** A few instants show most; `SAVE_STEP=1` tries all. */
const STEP = Number(process.env.SAVE_STEP ?? unlessFull(197, 29));

const FILES = { changed: 'start\n', removed: 'start\n', made: null, untouched: 'start\n' } as const;
type Name = keyof typeof FILES;

/** An editor as people use them: one writes over the file, the other replaces it. */
const WAYS = {
  'in place': (path: string) => writeFileSync(path, SAVED),
  'by renaming': (path: string) => {
    writeFileSync(`${path}~`, SAVED);
    renameSync(`${path}~`, path);
  },
  'as a directory': (path: string) => {
    rmSync(path, { force: true });
    mkdirSync(path);
    writeFileSync(join(path, 'inside'), SAVED);
  },
};
const SAVED = 'saved by a person\n';

test.for(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'what a person saves %s during a restore is in its place, or kept and reported',
  async (way) => {
    let contested = 0;
    for (const name of ['changed', 'removed', 'made', 'untouched'] as const) {
      for (let instant = 1, over = false; !over; instant += STEP) {
        const ground = newGround();
        const { calls, where } = await saveDuring(ground, name, way, instant);
        if (where !== 'in its place, as if nothing else happened') contested++;
        over = calls < instant;
        rmSync(ground.root, { recursive: true });
      }
    }
    expect(contested).toBeGreaterThan(0);
  },
);

async function saveDuring(
  { root, storage, open }: Ground,
  name: Name,
  way: keyof typeof WAYS,
  instant: number,
) {
  for (const [file, text] of Object.entries(FILES)) if (text !== null) put(root, file, text);
  const workspace = await open();
  const { id: to } = await workspace.snapshot();
  put(root, 'changed', 'task\n');
  put(root, 'made', 'task\n');
  rmSync(join(root, 'removed'));
  const { id: end } = await workspace.snapshot();

  let calls = 0;
  setIoHook(() => {
    if (++calls === instant) WAYS[way](join(root, name));
    return undefined;
  });
  const choices = { on_modified: 'use_current', on_deleted: 'skip' } as const;
  const result = await workspace
    .restore({ to, own: [{ from: to, to: end }], ...choices })
    .finally(() => setIoHook(undefined));
  const saved = calls >= instant;
  const at = `${name}, saved at call ${instant}`;

  for (const [file, text] of Object.entries(FILES))
    if (file !== name || !saved) expect(textAt(root, file), `${file}: ${at}`).toBe(text);
  const kept = async () =>
    Promise.all(
      result.displaced.map(async ({ blob }) =>
        Buffer.from((await (await storage()).getBlob(null, blob))!).toString(),
      ),
    );
  if (saved) {
    expect([savedAt(root, name), ...(await kept())], at).toContain(SAVED);
    const told = [...result.left, ...result.kept, ...result.displaced].map(({ path }) => path);
    if (name !== 'untouched') expect([...result.restored, ...told], at).toContain(name);
  }
  const undone = await workspace.undo(result.undo, choices);
  if (saved && result.displaced.length === 0) expect(savedAt(root, name), at).toBe(SAVED);
  expect(undone.displaced, at).toEqual([]);
  await workspace.close();
  const where =
    result.left.length + result.displaced.length > 0
      ? 'contested'
      : 'in its place, as if nothing else happened';
  return { calls, where } as const;
}

function textAt(root: string, name: string): string | null {
  return existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : null;
}

function savedAt(root: string, name: string): string | null {
  return textAt(root, join(name, 'inside')) ?? textAt(root, name);
}
