/** Large differences on the page: until the first lines are there. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTask } from '../../src/index.ts';
import { openAt, type Site } from '../engine/site.ts';
import type { Measurement } from '../harness.ts';
import { ready, serve, until, withPage } from './served.ts';

const LINES = 10_000;
const FILES = 1000;

/** A file of 10,000 lines of which every tenth changed. */
function longFile(task: {
  files: { write(path: string, text: string): Promise<unknown> };
}): Promise<unknown> {
  return task.files.write(
    'long.txt',
    text((n) => (n % 10 === 0 ? `changed ${n}` : `line ${n}`)),
  );
}

const text = (line: (n: number) => string): string =>
  `${Array.from({ length: LINES }, (_, n) => line(n)).join('\n')}\n`;

export async function firstHunk(site: Site, what: 'long file' | 'many files'): Promise<Measurement> {
  const { project_dir } = site;
  mkdirSync(join(project_dir, 'many'), { recursive: true });
  writeFileSync(
    join(project_dir, 'long.txt'),
    text((n) => `line ${n}`),
  );
  for (let n = 0; n < FILES; n++) writeFileSync(join(project_dir, 'many', `${n}.txt`), `file ${n}\nsecond\n`);
  const engine = await openAt(site);
  const edits = defineTask('edits', async (task) => {
    if (what === 'long file') await longFile(task);
    else await task.shell(`for f in many/*.txt; do echo more >> $f; done`);
  });
  const { id, result } = await engine.start(edits, undefined);
  await result;
  await engine.close();
  const server = await serve(site);
  const measure = (): Promise<number> =>
    withPage(server.address, async (page) => {
      await ready(page);
      await until(page, `#/task/${id}`, '[role="option"]');
      return until(page, `#/task/${id}/files`, '.diff-line');
    });
  const close = async (): Promise<void> => {
    await server.end();
    await site.remove();
  };
  return { measure, close };
}
