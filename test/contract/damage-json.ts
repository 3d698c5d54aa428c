/** Changes what a JSON store has on the disk. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Damage } from './harness.ts';

/** The stored text of a record, or of an entry. */
export interface Texts {
  record(category: string, key: string): Promise<string>;
  entry(task: string, seq: number): Promise<string>;
}

const PLAIN: Texts = {
  record: async () => 'damage me',
  entry: async (_, seq) => `\t"${seq}"`,
};

export function damageJson(root: string, texts: Texts = PLAIN): Damage {
  const fileOf = (id: string): string => {
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    return join(root, names.find((path) => path.endsWith(id))!);
  };
  /** Changes one byte of the text wherever a file of the store has it; none of them is a lock. */
  const change = async (text: string, under = root) => {
    const files = readdirSync(under, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.split('/').includes('locks'))
      .map((name) => join(under, name));
    let changed = 0;
    for (const file of files) {
      const content = readText(file);
      if (!content?.includes(text)) continue;
      writeFileSync(file, content.replace(text, `${text.slice(0, -1)}#`));
      changed += 1;
    }
    if (changed === 0) throw new Error('There is nothing to damage.');
  };
  return {
    record: async (category, key) => change(await texts.record(category, key)),
    entry: async (task, seq) => change(await texts.entry(task, seq), join(root, 'tasks', task)),
    blob: async (_task, id) => writeFileSync(fileOf(id), 'damaged!!'),
    age: async (_task, id, hours) => {
      const time = Date.now() / 1000 - hours * 3600;
      utimesSync(fileOf(id), time, time);
    },
  };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return null;
    throw error;
  }
}
