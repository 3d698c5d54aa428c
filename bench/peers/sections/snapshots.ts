/** Snapshots of a work tree beside a shadow git, as agents keep one: a hidden git directory, `git add -A`, `git commit`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { changeTen, type Opened, siteIn, type Site as Tree, timeOf } from '../../workspace/site.ts';
import type { Table } from '../results.ts';
import { type Side, takeRounds } from '../rounds.ts';
import type { Site } from './site.ts';

const CHILD = join(import.meta.dirname, '..', '..', 'workspace', 'fresh-child.ts');
/** A first one takes long, and varies little. */
const FIRST_ROUNDS = 2;

export async function snapshotTables(site: Site): Promise<Table[]> {
  const { scratch, sizes, tell } = site;
  tell(`a tree of ${sizes.files} files`);
  const tree = siteIn(scratch, sizes.files);
  const rounds = sizes.fewRounds;
  tell('first snapshots');
  const first = await takeRounds(firstSides(tree), Math.min(FIRST_ROUNDS, rounds), false);
  tell('next snapshots');
  const same = await withWorkspace(tree, (opened) => takeRounds(unchangedSides(tree, opened), rounds));
  const ten = await withWorkspace(tree, (opened) => takeRounds(changedSides(tree, opened), rounds));
  const watched = await withWorkspace(tree, async (opened) => {
    await opened.workspace.watch();
    return takeRounds(changedSides(tree, opened), rounds);
  });
  tell('restoring');
  const restored = await withWorkspace(tree, (opened) => takeRounds(restoringSides(tree, opened), rounds));
  return [
    { id: 'snapshot-first', rows: first },
    { id: 'snapshot-same', rows: same },
    { id: 'snapshot-ten', rows: ten },
    { id: 'snapshot-watched', rows: watched },
    { id: 'restore-ten', rows: restored },
  ];
}

function side(name: string, measure: Side['measure']): Side {
  return { name, ours: name.startsWith('Vibe Engine'), measure };
}

function firstSides({ fresh, shadow }: Tree): Side[] {
  return [
    side('Vibe Engine', async () => {
      const { workspace, close } = await fresh();
      const took = await timeOf(() => workspace.snapshot());
      await close();
      return took;
    }),
    side('shadow git', () => {
      shadow.begin();
      return timeOf(shadow.commit);
    }),
  ];
}

function unchangedSides({ root, shadow }: Tree, { workspace }: Opened): Side[] {
  const inNewProcess = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CHILD, root]);
    return Number(stdout);
  };
  return [
    side('Vibe Engine, same process', () => timeOf(() => workspace.snapshot())),
    side('Vibe Engine, new process', inNewProcess),
    side('shadow git', () => timeOf(shadow.commit)),
  ];
}

/** Both see the same ten changes in a round. */
function changedSides(tree: Tree, { workspace }: Opened): Side[] {
  let changedIn = -1;
  const changed = (work: () => unknown) => async (round: number) => {
    if (changedIn !== round) changeTen(tree, changes++);
    changedIn = round;
    return timeOf(work);
  };
  return [
    side(
      'Vibe Engine',
      changed(() => workspace.snapshot()),
    ),
    side('shadow git', changed(tree.shadow.commit)),
  ];
}

/** Each with a snapshot of what is there before it is overwritten. */
function restoringSides(tree: Tree, { workspace }: Opened): Side[] {
  const { shadow } = tree;
  return [
    side('Vibe Engine', async () => {
      const { id: to } = await workspace.snapshot();
      changeTen(tree, changes++);
      const { id: end } = await workspace.snapshot();
      return timeOf(() => workspace.restore({ to, own: [{ from: to, to: end }] }));
    }),
    side('shadow git', async () => {
      const to = shadow.commit();
      const paths = changeTen(tree, changes++);
      shadow.commit();
      return timeOf(() => {
        shadow.commit();
        shadow.restore(to, paths);
      });
    }),
  ];
}

/** No two rounds change the same files in the same way. */
let changes = 0;

/** A workspace that has seen everything, beside a shadow that has, too. */
async function withWorkspace<Out>(tree: Tree, use: (opened: Opened) => Promise<Out>): Promise<Out> {
  tree.shadow.commit();
  const opened = await tree.open();
  try {
    await opened.workspace.snapshot();
    return await use(opened);
  } finally {
    await opened.close();
  }
}
