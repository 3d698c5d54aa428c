/** `task.files`: each call is a recorded step of its own. */
import { hash } from 'node:crypto';
import { InvalidInputError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { checkFunction, checkName } from '../api/checks.ts';
import type { FileEdit, FileWritten, StepContext, TaskFiles } from '../api/context.ts';
import type { FileAccess, FileRequest } from '../files/file-access.ts';
import { alreadyThere, sameBytes } from '../files/sides.ts';
import type { FileWrite } from '../files/workspace-link.ts';
import type { RunContext } from './run-context.ts';
import { runStep } from './steps.ts';

type Bytes = Uint8Array | null;

export function createTaskFiles(active: RunContext, agent: string): TaskFiles {
  /** What this agent last saw of each file: what it starts from when it writes. */
  const seen = new Map<string, Bytes>();
  const owner = `${active.task}${agent}`;

  const step = async <T>(
    verb: string,
    path: string,
    fn: (access: FileAccess, step: StepContext, wrote: FileRequest['wrote']) => Promise<T> | T,
  ): Promise<T> => {
    checkName(phrase`A file`, path);
    const access = active.fileAccess ?? noFiles();
    if (verb !== 'read') {
      access.assertChangeable(path);
      access.keep(path);
    }
    const file = access.nameInSnapshots(path);
    let wrote: FileWrite | null = null;
    let found = false;
    const note = (before: Bytes, after: Bytes): void => {
      wrote = { path: file, before, after };
    };
    const call = {
      name: `files.${verb} ${access.nameOf(path)}`,
      agent,
      fn: async (context: StepContext) => {
        const done = await fn(access, context, note);
        found = (done as { content?: Bytes }).content instanceof Uint8Array;
        return done;
      },
      ...(verb === 'read'
        ? { options: {}, reads: () => (found ? [file] : []) }
        : {
            options: { dangerous: 'file_change' as const },
            files: { paths: [file], wrote: () => wrote },
          }),
    };
    return (await runStep(active, call)) as T;
  };

  const read = async (path: string): Promise<Bytes> => {
    const { content } = await step('read', path, async (access, { signal }) => ({
      content: await access.read({ owner, path, signal }),
    }));
    seen.set(active.fileAccess!.nameOf(path), content);
    return content;
  };

  /**
   * What an agent that has not looked at a file starts from. Others may have changed it since the task last did, or since it
   * started; a file that they removed can be written again.
   */
  const unseen = async (
    at: Parameters<FileAccess['read']>[0],
    found: Bytes | undefined,
  ): Promise<Bytes | undefined> => {
    if (found !== undefined) return found;
    const there = await active.fileAccess!.read(at);
    return there === null ? null : active.lastLeft(at.path, there);
  };

  /** `wanted` is the new content, or a function of the content when the operation first started. */
  const change = async (
    verb: string,
    path: string,
    wanted: Bytes | ((there: Bytes) => Promise<Bytes>),
    { intent = '' }: FileEdit,
  ): Promise<FileWritten> => {
    const { content, ...written } = await step(
      verb,
      path,
      async (access, { id, unknown, signal }, wrote): Promise<FileWritten & { content?: Bytes }> => {
        const at = { owner, path, signal };
        // After an interruption it starts again from what it found first: an edit is not made twice, and what others did
        // since stays.
        const first = unknown?.snapshot ?? active.memory.foundFirst.get(id);
        const found = first ? await access.readAt(first, path) : undefined;
        const name = access.nameOf(path);
        const put = (sides: Pick<FileRequest, 'base' | 'content' | 'may_be_there'>) =>
          access.write({
            ...at,
            ...sides,
            intent,
            since: active.drift.startedAt,
            allowed: active.assertOwned,
            ...(wrote ? { wrote } : {}),
          });
        const { content, ...settled } =
          typeof wanted === 'function'
            ? await access.inTurn(at, async () =>
                put(await edited(access, at, found, wanted, active.lastLeft)),
              )
            : await put({
                base: seen.has(name) ? seen.get(name) : await unseen(at, found),
                content: wanted,
                may_be_there: found === undefined && !seen.has(name),
              });
        const done = { path: access.nameOf(path), hash: hashOf(content), ...settled } as FileWritten;
        // Content that the task's code gives again on resume need not be stored.
        return content === wanted ? done : { ...done, content };
      },
    );
    seen.set(written.path, content === undefined ? (wanted as Bytes) : content);
    return written;
  };

  return {
    read: async (path) => {
      const bytes = await read(path);
      return bytes === null ? null : textOf(path, bytes);
    },
    readBytes: read,
    write: (path, content, options = {}) => change('write', path, Buffer.from(content), options),
    edit: (path, edit, options = {}) => {
      checkFunction(phrase`The edit of ${path}`, edit);
      const apply = async (there: Bytes) => {
        if (there === null) throw nothingThere(path);
        return Buffer.from(await edit(textOf(path, there)));
      };
      return change('edit', path, apply, options);
    },
    delete: (path, options = {}) => change('delete', path, null, options),
  };
}

/**
 * An edit that was cut off is not made twice: if the file has it, it stays as it is. If not, it is made on what other operations
 * of the task have left there since.
 */
async function edited(
  access: FileAccess,
  at: Parameters<FileAccess['read']>[0],
  found: Bytes | undefined,
  edit: (there: Bytes) => Promise<Bytes>,
  lastLeft: RunContext['lastLeft'],
): Promise<Pick<FileRequest, 'base' | 'content' | 'may_be_there'>> {
  const there = await access.read(at);
  if (found === undefined) return { base: there, content: await edit(there) };
  const first = { base: found, content: await edit(found), may_be_there: true };
  const sides = { path: at.path, base: found, ours: first.content, theirs: there };
  if (!there || sameBytes(there, found) || sameBytes(there, first.content) || alreadyThere(sides))
    return first;
  const left = await lastLeft(at.path, there);
  return left && !sameBytes(left, found) ? { base: left, content: await edit(left) } : first;
}

function hashOf(content: Bytes): string | null {
  return content === null ? null : hash('sha256', content);
}

/** Bytes that are not text would not be written back unchanged. */
function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidInputError('USAGE', phrase`${path} is not UTF-8 text.`, {
      data: { path },
      hint: phrase`Read it with readBytes, and write bytes.`,
      cause,
    });
  }
}

function nothingThere(path: string): InvalidInputError {
  return new InvalidInputError('USAGE', phrase`There is no file ${path} to edit.`, {
    data: { path },
    hint: phrase`Use write, which creates it.`,
  });
}

function noFiles(): never {
  throw new InvalidInputError('USAGE', phrase`Files are not captured here.`, {
    hint: phrase`The engine has to be opened with a workspace.`,
  });
}
