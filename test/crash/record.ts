/** Runs writers under strace and turns what they did into steps on a modelled disk. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { Disk, type FileNode, type Node, sizeOf } from './disk.ts';
import { WRITER } from './processes.ts';
import { type Call, descriptorOf, lastNumber, parseStrace, straceCommand, stringsIn } from './strace.ts';
import type { WriterOptions } from './writer.ts';

export interface Recording {
  /** What was there before. */
  readonly base: string | undefined;
  /** Calls and acknowledgements in the order in which they took effect. */
  readonly steps: readonly Step[];
  /** What the writers said that was not an acknowledgement. */
  readonly errors: readonly string[];
}

export type Step = { ack: { lane: string; n: number } } | { call: string; apply: (disk: Disk) => void };

/** Why it cannot be done here, or undefined when it can. */
export function cannotRecord(): string | undefined {
  if (process.platform !== 'linux') return 'recording system calls needs Linux';
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'recording system calls needs strace (Debian: apt-get install strace), and leave to trace processes';
  }
}

/** `base` is a directory that the store's directory is copied from first, left by a crash. */
export async function record(
  dir: string,
  writers: readonly Omit<WriterOptions, 'target'>[],
  base?: string,
): Promise<Recording> {
  const top = join(dir, 'disk');
  mkdirSync(dir, { recursive: true });
  if (base) cpSync(base, top, { recursive: true });
  else mkdirSync(top);
  const trace = join(dir, 'trace');
  const jobs = writers.map((writer) => JSON.stringify({ ...writer, target: join(top, 'store') }));
  const [command, ...args] = straceCommand(trace);
  const script = 'node=$1; writer=$2; shift 2; for job in "$@"; do "$node" "$writer" "$job" & done; wait';
  const { stdout, stderr } = await promisify(execFile)(
    command!,
    [...args, 'sh', '-c', script, 'sh', process.execPath, WRITER, ...jobs],
    { maxBuffer: 1 << 28 },
  );
  const lines = stdout.split('\n');
  const errors = lines.filter((line) => line.startsWith('error'));
  const ended = lines.filter((line) => line === 'closed').length + errors.length;
  if (ended < writers.length) throw new Error(`A writer did not end as it should: ${stderr.slice(0, 2000)}`);
  return { base, steps: stepsOf(parseStrace(readFileSync(trace, 'latin1')), top), errors };
}

/** The disk as it was before the recording. */
export function diskOf({ base }: Recording): Disk {
  const disk = new Disk();
  const visit = (path: string[]): void => {
    for (const entry of readdirSync(join(base!, ...path), { withFileTypes: true })) {
      const here = [...path, entry.name];
      disk.createDurable(here, entry.isDirectory() ? null : readFileSync(join(base!, ...here)));
      if (entry.isDirectory()) visit(here);
    }
  };
  if (base !== undefined && existsSync(base)) visit([]);
  return disk;
}

interface Descriptor {
  path: string[];
  append: boolean;
  at: number;
}

const SYNCS = new Set(['fsync', 'fdatasync']);
const WRITES = new Set(['write', 'pwrite64', 'writev', 'pwritev']);
const HARMLESS = new Set(['close', 'lseek', 'clone', 'clone3', 'fork', 'vfork', 'sync_file_range']);

function stepsOf(calls: readonly Call[], top: string): Step[] {
  const placed: { line: number; step: Step }[] = [];
  const threadOf = new Map<number, number>();
  const open = new Map<string, Descriptor>();
  const process = (pid: number): number => threadOf.get(pid) ?? pid;
  const inside = (path: string): string[] | undefined => {
    const parts = relative(top, path).split(sep);
    return parts[0] === '..' || parts[0] === '' ? undefined : parts;
  };

  for (const call of calls) {
    if (call.result < 0) continue;
    if (call.name.startsWith('clone')) {
      if (call.args.includes('CLONE_THREAD')) threadOf.set(call.result, process(call.pid));
      continue;
    }
    if (call.name === 'write' && call.args.startsWith('1<')) {
      for (const line of stringsIn(call.args)[0]!.toString().split('\n')) {
        const [word, lane, n] = line.split(' ');
        // A reader of the line may have it as soon as the call starts.
        if (word === 'ack') placed.push({ line: call.begin, step: { ack: { lane: lane!, n: Number(n) } } });
      }
      continue;
    }
    if (!touches(call, top)) continue;
    placed.push(...stepsFor(call, open, process(call.pid), inside));
  }
  return placed.sort((a, b) => a.line - b.line).map(({ step }) => step);
}

function touches(call: Call, top: string): boolean {
  // A file that was unlinked or replaced can no longer be reached, so what happens to it does not matter.
  if (call.args.includes('>(deleted)')) return false;
  if (call.name === 'open' || call.name === 'openat') {
    return stringsIn(call.args)[0]!
      .toString()
      .startsWith(top + sep);
  }
  const descriptor = descriptorOf(call.args);
  if (descriptor) return descriptor.path.startsWith(top + sep) || descriptor.path === top;
  return stringsIn(call.args).some((text) => text.toString().startsWith(top + sep));
}

function stepsFor(
  call: Call,
  open: Map<string, Descriptor>,
  process: number,
  inside: (path: string) => string[] | undefined,
): { line: number; step: Step }[] {
  const does = (apply: (disk: Disk) => void, line = call.end): { line: number; step: Step } => ({
    line,
    step: { call: `${call.name}(${paths.join(', ') || descriptor?.path})`, apply },
  });
  const descriptor = descriptorOf(call.args);
  const isPathCall = descriptor === undefined;
  const paths = isPathCall ? stringsIn(call.args).map(String) : [];
  const key = `${process}:${descriptor?.fd}`;

  if (call.name === 'open' || call.name === 'openat') {
    const path = inside(paths[0]!);
    if (!path) return [];
    open.set(`${process}:${call.result}`, { path, append: call.args.includes('O_APPEND'), at: 0 });
    const creates = call.args.includes('O_CREAT');
    const truncates = call.args.includes('O_TRUNC');
    if (!creates && !truncates) return [];
    return [does((disk) => openFile(disk, path, truncates))];
  }
  if (WRITES.has(call.name)) {
    const to = open.get(key);
    if (!to) throw new Error(`strace: a write to a descriptor that was never opened: ${descriptor!.path}`);
    const bytes = Buffer.concat(stringsIn(call.args)).subarray(0, call.result);
    const explicit = call.name.startsWith('p') ? lastNumber(call.args) : undefined;
    const at = explicit ?? to.at;
    if (explicit === undefined) to.at += bytes.length;
    const path = inside(descriptor!.path) ?? to.path;
    return [
      does((disk) => {
        const file = fileAt(disk, path);
        if (file) disk.change(file, { at: to.append ? sizeOf(file) : at, bytes });
      }),
    ];
  }
  if (call.name === 'ftruncate') {
    const path = inside(descriptor!.path)!;
    const length = lastNumber(call.args);
    return [
      does((disk) => {
        const file = fileAt(disk, path);
        if (file) disk.change(file, { truncate: length });
      }),
    ];
  }
  if (SYNCS.has(call.name)) {
    const path = inside(descriptor!.path) ?? [];
    let finish: (() => void) | undefined;
    return [
      does((disk) => {
        const node: Node | undefined = disk.find(path);
        finish = node && disk.beginSync(node);
      }, call.begin),
      does(() => finish?.()),
    ];
  }
  if (call.name === 'rename' || call.name === 'link') {
    const [from, to] = paths.map((path) => inside(path)!);
    return [does((disk) => disk[call.name as 'rename' | 'link'](from!, to!))];
  }
  if (call.name === 'unlink' || call.name === 'rmdir')
    return [does((disk) => disk.remove(inside(paths[0]!)!))];
  if (call.name === 'mkdir') return [does((disk) => void disk.create(inside(paths[0]!)!, 'dir'))];
  if (HARMLESS.has(call.name)) return [];
  throw new Error(`strace: ${call.name} is not modelled, but the store uses it: ${call.args.slice(0, 200)}`);
}

function openFile(disk: Disk, path: string[], truncates: boolean): void {
  const node = disk.find(path) ?? disk.create(path, 'file');
  if (truncates && node.kind === 'file' && sizeOf(node) > 0) disk.change(node, { truncate: 0 });
}

function fileAt(disk: Disk, path: string[]): FileNode | undefined {
  const node = disk.find(path);
  return node?.kind === 'file' ? node : undefined;
}
