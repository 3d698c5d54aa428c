/**
 * A model of what a power cut may leave. Data is certain once its file was synced; a name is certain once its
 * directory was synced; everything later may have reached the disk or not, in any order, a write also in part.
 */
export interface FileNode {
  readonly kind: 'file';
  readonly id: number;
  /** What the last sync made certain. */
  durable: Buffer;
  /** What came after it, in order. */
  pending: DataChange[];
  /** Counts syncs, so that equal states can be told by name. */
  version: number;
  /** When it was last changed: the larger, the later. */
  touched: number;
}

export interface DirNode {
  readonly kind: 'dir';
  readonly id: number;
  readonly durable: Map<string, Node>;
  pending: NameChange[];
  /** What processes see. */
  readonly names: Map<string, Node>;
  version: number;
  touched: number;
}

export type Node = FileNode | DirNode;

export type DataChange = { at: number; bytes: Buffer } | { truncate: number };

/** One atomic change of names: a rename has two, in one directory or in two. */
export interface NameChange {
  readonly sets: readonly { dir: DirNode; name: string; node: Node | null }[];
}

export class Disk {
  readonly root: DirNode;
  #ids = 0;
  #ticks = 0;

  constructor() {
    this.root = this.#dir();
  }

  find(path: readonly string[]): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of path) node = node?.kind === 'dir' ? node.names.get(name) : undefined;
    return node;
  }

  create(path: readonly string[], kind: Node['kind']): Node {
    const node = kind === 'dir' ? this.#dir() : this.#file();
    this.#rename([{ path, node }]);
    return node;
  }

  /** Makes a file or directory that is certain to be there, for what was there before the recording. */
  createDurable(path: readonly string[], content: Buffer | null): void {
    const node = content === null ? this.#dir() : this.#file();
    if (node.kind === 'file') node.durable = content!;
    const { dir, name } = this.#parent(path);
    dir.names.set(name, node);
    dir.durable.set(name, node);
  }

  change(file: FileNode, change: DataChange): void {
    file.pending.push(change);
    file.touched = ++this.#ticks;
  }

  rename(from: readonly string[], to: readonly string[]): void {
    const node = this.#existing(from);
    this.#rename([
      { path: from, node: null },
      { path: to, node },
    ]);
  }

  link(from: readonly string[], to: readonly string[]): void {
    this.#rename([{ path: to, node: this.#existing(from) }]);
  }

  remove(path: readonly string[]): void {
    this.#rename([{ path, node: null }]);
  }

  /** What a sync that begins now will make certain when it ends. */
  beginSync(node: Node): () => void {
    if (node.kind === 'file') {
      const covered = node.pending.slice();
      return () => {
        node.durable = applyData(node.durable, covered);
        node.pending = node.pending.filter((change) => !covered.includes(change));
        node.version++;
      };
    }
    const covered = node.pending.slice();
    return () => {
      for (const change of covered) settle(change);
      node.version++;
    };
  }

  #rename(sets: { path: readonly string[]; node: Node | null }[]): void {
    const change: NameChange = { sets: sets.map(({ path, node }) => ({ ...this.#parent(path), node })) };
    for (const { dir, name, node } of change.sets) {
      if (node) dir.names.set(name, node);
      else dir.names.delete(name);
    }
    for (const dir of new Set(change.sets.map((set) => set.dir))) {
      dir.pending.push(change);
      dir.touched = ++this.#ticks;
    }
  }

  #parent(path: readonly string[]): { dir: DirNode; name: string } {
    const dir = this.find(path.slice(0, -1));
    if (dir?.kind !== 'dir') throw new Error(`disk: no directory for ${path.join('/')}`);
    return { dir, name: path.at(-1)! };
  }

  #existing(path: readonly string[]): Node {
    const node = this.find(path);
    if (!node) throw new Error(`disk: nothing at ${path.join('/')}`);
    return node;
  }

  #file(): FileNode {
    return { kind: 'file', id: ++this.#ids, durable: Buffer.alloc(0), pending: [], version: 0, touched: 0 };
  }

  #dir(): DirNode {
    const names = { durable: new Map<string, Node>(), names: new Map<string, Node>() };
    return { kind: 'dir', id: ++this.#ids, ...names, pending: [], version: 0, touched: 0 };
  }
}

export function applyData(content: Buffer, changes: readonly DataChange[]): Buffer {
  let result = content;
  for (const change of changes) {
    if ('truncate' in change) {
      result = Buffer.concat([result.subarray(0, change.truncate)], change.truncate);
    } else {
      const end = change.at + change.bytes.length;
      const grown = Buffer.concat([result], Math.max(result.length, end));
      change.bytes.copy(grown, change.at);
      result = grown;
    }
  }
  return result;
}

export function applyNames(dir: DirNode, changes: readonly NameChange[]): Map<string, Node> {
  const names = new Map(dir.durable);
  for (const change of changes) {
    for (const set of change.sets) {
      if (set.dir !== dir) continue;
      if (set.node) names.set(set.name, set.node);
      else names.delete(set.name);
    }
  }
  return names;
}

export function sizeOf(file: FileNode): number {
  let size = file.durable.length;
  for (const change of file.pending) {
    size = 'truncate' in change ? change.truncate : Math.max(size, change.at + change.bytes.length);
  }
  return size;
}

/** A change in two directories is one transaction of the file system: certain in both or in none. */
function settle(change: NameChange): void {
  for (const { dir, name, node } of change.sets) {
    if (node) dir.durable.set(name, node);
    else dir.durable.delete(name);
    dir.pending = dir.pending.filter((other) => other !== change);
  }
}
