/** Reads the output of `strace -f -y -xx` as calls in the order in which they took effect. */

export interface Call {
  readonly pid: number;
  readonly name: string;
  /** What stands between the parentheses. */
  readonly args: string;
  /** The answer: a descriptor, a count, 0; negative when the call failed. */
  readonly result: number;
  /** Line numbers: a call that another thread's calls interleaved with begins before it ends. */
  readonly begin: number;
  readonly end: number;
}

/** What can change a file, a directory or where a descriptor points. */
const TRACED = [
  'open,openat,creat,close,dup,dup2,dup3,lseek,clone,clone3,fork,vfork',
  'write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile,splice',
  'fsync,fdatasync,sync,syncfs,sync_file_range,msync',
  'rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir',
].join(',');

export function straceCommand(output: string): string[] {
  return [
    'strace',
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-y',
    '-xx',
    '-s',
    '10000000',
    '-e',
    `trace=${TRACED}`,
    '-o',
    output,
  ];
}

/** Calls in the order in which they ended. */
export function parseStrace(text: string): Call[] {
  const calls: Call[] = [];
  const begun = new Map<number, { head: string; line: number }>();
  text.split('\n').forEach((line, number) => {
    const match = /^(\d+)\s+(.*)$/.exec(line);
    if (!match) return;
    const pid = Number(match[1]);
    let body = match[2]!;
    let begin = number;
    if (body.endsWith('<unfinished ...>')) {
      begun.set(pid, { head: body.slice(0, -'<unfinished ...>'.length), line: number });
      return;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(body);
    if (resumed) {
      const first = begun.get(pid);
      if (!first) throw new Error(`strace: a call resumes that never began: ${line.slice(0, 200)}`);
      begun.delete(pid);
      body = first.head + body.slice(resumed[0].length);
      begin = first.line;
    }
    const call = /^(\w+)\((.*)\)\s+= (-?\d+|\?)/.exec(body);
    if (!call) return;
    // A process that was killed in the middle of a call has no answer: the call did not end.
    if (call[3] === '?') return;
    calls.push({ pid, name: call[1]!, args: call[2]!, result: Number(call[3]), begin, end: number });
  });
  return calls;
}

/** All quoted strings among the arguments. */
export function stringsIn(args: string): Buffer[] {
  if (args.includes('"...')) throw new Error('strace: a string was cut short');
  return [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map((match) => bytesOf(match[1]!));
}

/** The descriptor that is the first argument, and the path it stood for. */
export function descriptorOf(args: string): { fd: number; path: string } | undefined {
  const match = /^(\d+)<((?:\\x[0-9a-f]{2}|[^>])*)>/.exec(args);
  return match ? { fd: Number(match[1]), path: bytesOf(match[2]!).toString() } : undefined;
}

/** The last plain number among the arguments. */
export function lastNumber(args: string): number {
  return Number(/(-?\d+)\s*$/.exec(args)?.[1]);
}

function bytesOf(escaped: string): Buffer {
  return escaped.startsWith('\\x') ? Buffer.from(escaped.replaceAll('\\x', ''), 'hex') : Buffer.from(escaped);
}
