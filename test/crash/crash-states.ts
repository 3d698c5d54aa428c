/**
 * The states that a power cut may leave on a disk: the extremes, and each single thing that may go missing or survive.
 * All subsets would be too many; and what nobody has touched for long is looked at only now and then.
 */

import {
  applyData,
  applyNames,
  type DataChange,
  type DirNode,
  type Disk,
  type FileNode,
  type NameChange,
  sizeOf,
} from './disk.ts';
import type { Random } from './random.ts';

export interface CrashState {
  /** Equal states have equal names, within one recording. */
  readonly name: string;
  /** What is where: paths from the disk's root; null is a directory, parents before what is in them. */
  content(): Map<string, Buffer | null>;
}

interface Choice {
  readonly data: (file: FileNode) => { label: string; content: () => Buffer };
  readonly names: (dir: DirNode) => readonly NameChange[];
}

const RECENT = 4;

/** The one where all that was not synced is gone, and up to `quota` others at random. */
export function crashStates(disk: Disk, quota: number, rng: Random): CrashState[] {
  const { files, dirs } = dirty(disk);
  const looked = (nodes: readonly (FileNode | DirNode)[]) => (node: FileNode | DirNode) =>
    nodes.indexOf(node) < RECENT || rng.oneIn(nodes.length);
  const [bare, ...others] = choices(files.filter(looked(files)), dirs.filter(looked(dirs)));
  const chosen = [bare!];
  while (chosen.length <= quota && others.length > 0)
    chosen.push(...others.splice(rng.below(others.length), 1));
  return chosen.map((choice) => stateOf(disk, choice));
}

function* choices(files: readonly FileNode[], dirs: readonly DirNode[]): Generator<Choice> {
  yield { data: none, names: () => [] };
  yield { data: all, names: (dir) => dir.pending };
  yield { data: none, names: (dir) => dir.pending };
  yield { data: all, names: () => [] };
  const kept = (dir: DirNode) => dir.pending;
  for (const file of files) {
    yield { data: (other) => (other === file ? none(other) : all(other)), names: kept };
    yield { data: (other) => (other === file ? all(other) : none(other)), names: kept };
    for (const torn of tornWrites(file)) {
      yield { data: (other) => (other === file ? torn : all(other)), names: kept };
    }
  }
  for (const changes of nameSubsets(dirs)) yield { data: all, names: changes };
}

/** Un-synced changes of names: in order up to each, each one alone, all but each one. */
function* nameSubsets(dirs: readonly DirNode[]): Generator<(dir: DirNode) => readonly NameChange[]> {
  const every = [...new Set(dirs.flatMap((dir) => dir.pending))];
  for (const [i, change] of every.entries()) {
    const before = new Set(every.slice(0, i));
    yield (dir) => dir.pending.filter((each) => before.has(each));
    yield (dir) => dir.pending.filter((each) => each === change);
    yield (dir) => dir.pending.filter((each) => each !== change);
  }
  for (const dir of dirs) {
    const elsewhere = (change: NameChange): boolean => change.sets.every((set) => set.dir !== dir);
    yield (other) => other.pending.filter(elsewhere);
  }
}

/** The last write in part: up to a sector or page border, or only what is after one. */
function* tornWrites(file: FileNode): Generator<{ label: string; content: () => Buffer }> {
  const last = file.pending.at(-1);
  if (!last || 'truncate' in last) return;
  const before = file.pending.slice(0, -1);
  const torn = (label: string, parts: DataChange[]) => ({
    label: `${file.pending.length}${label}`,
    content: () => applyData(file.durable, [...before, ...parts]),
  });
  const end = last.at + last.bytes.length;
  // The file may have grown although no byte of the write arrived: then zeros are where nothing was before.
  const grown: DataChange = { truncate: Math.max(sizeOf(file), end) };
  yield torn('grown', [grown]);
  for (const border of borders(last.at, end)) {
    const cut = border - last.at;
    yield torn(`to${border}`, [{ at: last.at, bytes: last.bytes.subarray(0, cut) }]);
    if (border % 4096 === 0)
      yield torn(`from${border}`, [grown, { at: border, bytes: last.bytes.subarray(cut) }]);
  }
}

/** The sector borders inside a write: all of its first 4 KB, then each page. */
function borders(start: number, end: number): number[] {
  const found: number[] = [];
  for (let at = (Math.floor(start / 512) + 1) * 512; at < end; at += 512) {
    if (at - start < 4096 || at % 4096 === 0) found.push(at);
  }
  return found;
}

function none(file: FileNode): { label: string; content: () => Buffer } {
  return { label: '0', content: () => file.durable };
}

function all(file: FileNode): { label: string; content: () => Buffer } {
  return { label: `${file.pending.length}`, content: () => applyData(file.durable, file.pending) };
}

/** Files and directories with something un-synced that can still be reached, last touched first. */
function dirty(disk: Disk): { files: FileNode[]; dirs: DirNode[] } {
  const files = new Set<FileNode>();
  const dirs = new Set<DirNode>();
  const visit = (dir: DirNode): void => {
    if (dir.pending.length > 0) dirs.add(dir);
    const named = dir.pending.flatMap((change) => change.sets.map((set) => set.node));
    for (const node of new Set([...dir.names.values(), ...dir.durable.values(), ...named])) {
      if (node?.kind === 'dir') visit(node);
      else if (node && node.pending.length > 0) files.add(node);
    }
  };
  visit(disk.root);
  const latest = (a: { touched: number }, b: { touched: number }): number => b.touched - a.touched;
  return { files: [...files].sort(latest), dirs: [...dirs].sort(latest) };
}

function stateOf(disk: Disk, choice: Choice): CrashState {
  const labels: string[] = [];
  const found: [string, (() => Buffer) | null][] = [];
  const visit = (dir: DirNode, path: string): void => {
    for (const [name, node] of applyNames(dir, choice.names(dir))) {
      const here = path === '' ? name : `${path}/${name}`;
      if (node.kind === 'dir') {
        found.push([here, null]);
        labels.push(here);
        visit(node, here);
      } else {
        const { label, content } = choice.data(node);
        found.push([here, content]);
        labels.push(`${here}=${node.id}.${node.version}.${label}`);
      }
    }
  };
  visit(disk.root, '');
  return {
    name: labels.sort().join(' '),
    content: () => new Map(found.map(([path, content]) => [path, content?.() ?? null])),
  };
}
