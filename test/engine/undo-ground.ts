/** A project whose files tasks change, and what tests of undo read back. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TaskContext } from '../../src/engine/api/context.ts';
import { defineTask } from '../../src/engine/api/definition.ts';
import type { Engine } from '../../src/engine/engine.ts';

export interface Ground {
  read(path: string): string | null;
  /** Null removes it. */
  write(path: string, content: string | null): void;
}

export function groundIn(dir: string, files: Record<string, string>): Ground {
  const ground: Ground = {
    read: (path) => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : null),
    write(path, content) {
      const at = join(dir, path);
      mkdirSync(dirname(at), { recursive: true });
      if (content === null) rmSync(at);
      else writeFileSync(at, content);
    },
  };
  for (const [path, content] of Object.entries(files)) ground.write(path, content);
  return ground;
}

/** Appends a line. */
export function adding(line: string): (text: string) => string {
  return (text) => `${text}${line}\n`;
}

/** Runs it to its end, whichever that is; answers its id. */
export async function ran(
  engine: Engine,
  run: (task: TaskContext) => Promise<unknown>,
  options: { readonly working_dir?: string } = {},
): Promise<string> {
  const { id, outcome } = await engine.start(defineTask('work', run, { version: '1' }), undefined, options);
  await outcome;
  return id;
}

/** The error that it ends with. */
export async function errorOf(
  promise: Promise<unknown>,
): Promise<{ code: string; hint: string; message: string }> {
  return promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  );
}
