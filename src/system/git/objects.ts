/** Reads objects of a repository through one git process: starting one for each question costs more than the answer. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import { startGit } from './git.ts';

export interface GitObjects {
  /** The contents of blobs, in order; null for one that is missing. */
  read(objects: readonly string[]): Promise<(Buffer | null)[]>;
  close(): void;
}

interface Question {
  readonly count: number;
  readonly answers: (Buffer | null)[];
  readonly resolve: (answers: (Buffer | null)[]) => void;
}

/** `env` may name other places for objects. */
export function openGitObjects(directory: string, env: Readonly<Record<string, string>> = {}): GitObjects {
  let child: ChildProcessWithoutNullStreams | undefined;
  let questions: Question[] = [];
  let unread: Buffer = Buffer.alloc(0);

  /** Pending reads get null: git is gone, or does not start. */
  const end = (): void => {
    const left = questions;
    questions = [];
    unread = Buffer.alloc(0);
    child = undefined;
    for (const { count, answers, resolve } of left) {
      resolve([...answers, ...Array<null>(count - answers.length).fill(null)]);
    }
  };

  const take = (part: Buffer): void => {
    unread = unread.length === 0 ? part : Buffer.concat([unread, part]);
    while (questions.length > 0) {
      const question = questions[0]!;
      const found = nextAnswer(unread);
      if (!found) return;
      unread = unread.subarray(found.end);
      question.answers.push(found.content);
      if (question.answers.length < question.count) continue;
      questions.shift();
      if (questions.length === 0) hold(child, false);
      question.resolve(question.answers);
    }
  };

  const start = (): ChildProcessWithoutNullStreams => {
    const started = startGit(directory, ['cat-file', '--batch'], env);
    const isCurrent = () => child === started;
    started.stdout.on('data', take);
    started.stderr.resume();
    started.stdin.on('error', () => {});
    started.once('error', () => isCurrent() && end());
    started.once('close', () => isCurrent() && end());
    return started;
  };

  return {
    read: (objects) =>
      new Promise((resolve) => {
        if (objects.length === 0) {
          resolve([]);
          return;
        }
        questions.push({ count: objects.length, answers: [], resolve });
        child ??= start();
        hold(child, true);
        child.stdin.write(objects.map((object) => `${object}\n`).join(''));
      }),
    close() {
      child?.stdin.end();
      hold(child, false);
    },
  };
}

/** `{object} blob {size}` and the bytes, or `{object} missing`, a line each; null while it is incomplete. */
function nextAnswer(bytes: Buffer): { content: Buffer | null; end: number } | null {
  const line = bytes.indexOf(0x0a);
  if (line < 0) return null;
  const [, type, size] = bytes.toString('latin1', 0, line).split(' ');
  if (size === undefined) return { content: null, end: line + 1 };
  const end = line + 1 + Number(size) + 1;
  if (bytes.length < end) return null;
  return { content: type === 'blob' ? Buffer.from(bytes.subarray(line + 1, end - 1)) : null, end };
}

/** The process keeps ours alive only while a read is pending. */
function hold(child: ChildProcessWithoutNullStreams | undefined, keep: boolean): void {
  if (!child) return;
  for (const part of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket]) {
    if (keep) part.ref();
    else part.unref();
  }
}
