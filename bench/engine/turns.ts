/** A turn of an agent: what the user says, what the assistant says, and a tool's output, with a checkpoint at its end. */
import { randomBytes, randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskContext } from '../../src/index.ts';
import type { Place } from './site.ts';

const KB = 1024;
/** Of a turn: 1 KB from the user, 1 KB from the assistant, 4 KB from the tool. */
export const TURN_BYTES: number = 6 * KB;

/** The tool call is a step, and after a step there is a checkpoint unless the settings say otherwise. */
export async function takeTurn(task: TaskContext, work: () => Promise<void> = async () => {}): Promise<void> {
  await task.message('user', randomText(KB));
  await task.message('assistant', randomText(KB));
  await task.tool('read_file', { path: 'src/index.ts' }, async () => {
    await work();
    return randomText(4 * KB);
  });
}

export async function takeTurns(task: TaskContext, count: number, work?: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < count; turn++) await takeTurn(task, work);
}

export const FILE_BYTES: number = 2 * KB;

/** What a tool does to files: it writes one of them again, as any program does. Nothing where there are none. */
export function editsIn({ files, project_dir }: Place): () => Promise<void> {
  return async () => {
    if (files) writeFileSync(join(project_dir, `edited-${randomInt(100)}.ts`), randomText(FILE_BYTES));
  };
}

const RANDOM = randomBytes(768 * KB).toString('base64url');

/** So many characters, one byte each, that nothing makes smaller: a piece of a megabyte of them, from anywhere in it. */
export function randomText(length: number): string {
  const start = randomInt(RANDOM.length - length);
  return RANDOM.slice(start, start + length);
}
