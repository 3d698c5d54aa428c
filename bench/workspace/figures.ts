/** The figures of the workspace, each with its bar. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Figure, Measurement, Scratch } from '../harness.ts';
import { changeTen, type Opened, type Site, siteIn, timeOf } from './site.ts';

const REPOSITORY =
  'a generated git repository of 50,000 files, about 430 MB, clean, page cache warm, JSON store in it';
const WARM =
  'a warm shadow git: `git add -A` and `git write-tree` with a git directory of its own that has all of it';
const CHILD = join(import.meta.dirname, 'fresh-child.ts');

export function workspaceFigures(scratch: Scratch): Figure[] {
  const site = () => siteIn(scratch);
  return [
    {
      name: 'first snapshot / shadow git',
      bar: { atMost: 0.1 },
      how: `${REPOSITORY}: a first snapshot, relative to a first \`git add -A\` and \`git write-tree\` into an empty git directory; measured twice`,
      prepare: async () => seldom(2, () => firstSnapshot(site())),
    },
    {
      name: 'bytes of a first snapshot',
      bar: { atMost: 4, unit: 'MB' },
      how: `${REPOSITORY}: all that \`.vibe-engine\` and \`.git\` have more after it, times of files for the next process included; measured once`,
      prepare: async () => seldom(1, () => bytesAdded(site())),
    },
    {
      name: 'next snapshot, same process / warm shadow git',
      bar: { atMost: 0.6 },
      how: `${REPOSITORY}: nothing changed, no watch; relative to ${WARM}, before and after`,
      prepare: () => nextSnapshot(site()),
    },
    {
      name: 'next snapshot, fresh process / warm shadow git',
      bar: { atMost: 0.9 },
      how: `the same in a new process, from opening store and workspace until the snapshot is there; starting Node and loading modules not counted`,
      prepare: () => freshProcess(site()),
    },
    {
      name: 'next snapshot, watched, 10 files changed / warm shadow git',
      bar: { atMost: 0.04 },
      how: `${REPOSITORY}: 10 files changed; relative to ${WARM}, after the same changes`,
      prepare: () => watchedSnapshot(site()),
    },
    {
      name: 'restore 10 files / shadow git',
      bar: { atMost: 0.7 },
      how: `${REPOSITORY}: restore with its safety snapshot and its record, relative to a warm shadow-git snapshot and \`git restore\` of those paths; the changes captured by both before`,
      prepare: () => restoring(site(), false),
    },
    {
      name: 'restore 10 files, watched / shadow git',
      bar: { atMost: 0.06 },
      how: 'the same with the watch',
      prepare: () => restoring(site(), true),
    },
  ];
}

/** What takes long is measured a few times; all rounds after it have what the last one had. */
function seldom(times: number, measure: () => Promise<number>): Measurement {
  let left = times;
  let last = 0;
  return {
    async measure() {
      if (left-- > 0) last = await measure();
      return last;
    },
    close: async () => {},
  };
}

async function firstSnapshot({ shadow, fresh }: Site): Promise<number> {
  shadow.begin();
  const floor = await timeOf(shadow.snapshot);
  const { workspace, close } = await fresh();
  const subject = await timeOf(() => workspace.snapshot());
  await close();
  return subject / floor;
}

async function bytesAdded({ root, fresh }: Site): Promise<number> {
  const opened = await fresh();
  const size = () => bytesIn(join(root, '.vibe-engine')) + bytesIn(join(root, '.git'));
  const before = size();
  await opened.workspace.snapshot();
  await opened.close();
  return (size() - before) / 1024 / 1024;
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** A workspace and a shadow that have seen everything. */
async function warm(site: Site): Promise<Opened> {
  if (!site.shadow.begun) site.shadow.begin();
  site.shadow.snapshot();
  const opened = await site.open();
  await opened.workspace.snapshot();
  return opened;
}

/** Relative to the floor right before and right after it. */
async function between(floor: () => unknown, subject: () => Promise<number>): Promise<number> {
  const before = await timeOf(floor);
  const time = await subject();
  return time / ((before + (await timeOf(floor))) / 2);
}

async function nextSnapshot(site: Site): Promise<Measurement> {
  const { workspace, close } = await warm(site);
  const measure = () => between(site.shadow.snapshot, () => timeOf(() => workspace.snapshot()));
  return { measure, close };
}

async function freshProcess(site: Site): Promise<Measurement> {
  await (await warm(site)).close();
  const inChild = async () => Number(execFileSync(process.execPath, [CHILD, site.root]));
  return { measure: () => between(site.shadow.snapshot, inChild), close: async () => {} };
}

async function watchedSnapshot(site: Site): Promise<Measurement> {
  const { workspace, close } = await warm(site);
  await workspace.watch();
  let round = 0;
  const measure = async (): Promise<number> => {
    changeTen(site, ++round);
    const subject = await timeOf(() => workspace.snapshot());
    return subject / (await timeOf(site.shadow.snapshot));
  };
  return { measure, close };
}

async function restoring(site: Site, watched: boolean): Promise<Measurement> {
  const { workspace, close } = await warm(site);
  if (watched) await workspace.watch();
  const { shadow } = site;
  let round = 1000;
  const measure = async (): Promise<number> => {
    const { id: to } = await workspace.snapshot();
    const tree = shadow.snapshot();
    changeTen(site, ++round);
    const { id: end } = await workspace.snapshot();
    const subject = await timeOf(() => workspace.restore({ to, own: [{ from: to, to: end }] }));
    const paths = changeTen(site, round);
    shadow.snapshot();
    const floor = await timeOf(() => {
      shadow.snapshot();
      shadow.restore(tree, paths);
    });
    return subject / floor;
  };
  return { measure, close };
}
