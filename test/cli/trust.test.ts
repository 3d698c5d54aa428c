/** `trust` on the command line: what a project's settings could do is shown, and holds once it is trusted. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trust } from '../../src/verbs/care/trust.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';

const tempDir = tempDirs();

test('what waits is shown, trusted, and trusted no more', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, '.vibe-engine'));
  const settings = { conflicts: { merge_tool: 'meld' } };
  writeFileSync(join(dir, '.vibe-engine', 'config.json'), JSON.stringify(settings));
  expect((await cli(dir, ['trust'])).out).toContain('conflicts.merge_tool');
  const trusted = await ask(dir, 'trust', '--yes');
  expect(misfits(trusted, trust.data)).toEqual([]);
  expect((await cli(dir, ['config', 'get', 'conflicts.merge_tool'])).out).toContain('meld');
  const removed = await ask(dir, 'trust', '--remove', '--yes');
  expect(misfits(removed, trust.data)).toEqual([]);
  expect((await cli(dir, ['config', 'get', 'conflicts.merge_tool'])).out).not.toContain('meld');
});
