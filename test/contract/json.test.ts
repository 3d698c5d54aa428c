import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Damage } from './harness.ts';
import { MODULE, openStore } from './open-store.ts';
import { storageContract } from './suite.ts';

storageContract('JSON', {
  skip: {
    'an owner stopped for longer than its lease is fenced out and never writes again':
      'ownership on one machine has no lease: a stopped owner keeps its task.',
  },
  async fresh() {
    const dir = mkdtempSync(join(tmpdir(), 've-contract-'));
    const address = { type: 'json', root: join(dir, 'store') } as const;
    return {
      open: () => openStore(address),
      child: { module: MODULE, args: address },
      damage: damageIn(address.root),
      strangers: () => readdirSync(dir).filter((name) => name !== 'store'),
      remove: async () => rmSync(dir, { recursive: true }),
    };
  },
});

function damageIn(root: string): Damage {
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
    record: () => change('damage me'),
    entry: (task, seq) => change(`\t"${seq}"`, join(root, 'tasks', task)),
    blob: () => change('damage me'),
    age: async (_task, id, hours) => {
      const name = readdirSync(root, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith(id));
      const time = Date.now() / 1000 - hours * 3600;
      utimesSync(join(root, name!), time, time);
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
