/**
 * A session of the real Claude Code that is rewound: with a fake model, and without a network. A prompt names the script of the model in
 * double brackets, as notes name one another.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { install } from '../test/clients/install.ts';
import { againOffline, isOffline } from '../test/clients/offline.ts';
import { environment } from '../test/clients/run.ts';
import { setStage } from '../test/clients/stage.ts';
import { LAUNCHER, SHELL } from './demo.ts';
import { rowsOf, typeAt } from './terminal.ts';

const SCRIPTS = {
  garden: [
    { calls: [{ kind: 'write', path: 'garden.md', text: '# Garden\n' }] },
    { text: 'garden.md is written.' },
  ],
  tidy: [{ calls: [{ kind: 'shell', command: 'mv garden.md archive.md' }] }, { text: 'All tidy now.' }],
  answer: [{ text: 'We wrote garden.md.' }],
} as const;

/** Undefined where another process has drawn it: this one starts itself again in a network of its own. */
export async function rewind() {
  const [program, ...before] = await install('claude');
  if (!isOffline()) {
    process.exitCode = againOffline();
    return undefined;
  }
  await using stage = await setStage('claude', () => SCRIPTS, { record: false });
  const { home, project } = stage.place;
  const settings = { permissions: { allow: ['Write', 'Bash'] } };
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify(settings));
  const bin = join(stage.root, 'bin');
  mkdirSync(bin);
  putProgram(join(bin, 'claude'), [program, ...before]);
  putProgram(join(bin, 'vibe-engine'), [process.execPath, LAUNCHER]);
  putProgram(join(bin, 'npx'), ['env']);
  const { NO_COLOR: _, ...own } = environment('claude', stage.place, stage.model.url);
  const path = [bin, dirname(process.execPath), own.PATH].join(delimiter);
  const at = { cwd: project, env: { ...own, ...SHELL, PATH: path } };

  let raw = '';
  const type = async (line: string): Promise<void> => {
    raw += await typeAt({ line }, at);
  };
  await type('npx vibe-engine hooks install');
  await type('claude -p "Write the note [[garden]]."');
  await type("echo 'Buy seeds.' > todo.txt");
  await type('claude -p --continue "Now make everything [[tidy]]."');
  await type('ls');
  await type('npx vibe-engine show');
  const [, checkpoint, task] = /(([a-z0-9]{6})-\d+) .*Now make everything/.exec(raw)!;
  await type(`npx vibe-engine rollback ${checkpoint} --yes`);
  await type('ls');
  await type(`npx vibe-engine resume ${task} -- -p "What did we write? [[answer]]"`);
  return { title: 'A session of Claude Code, rewound', rows: rowsOf(raw) };
}

function putProgram(file: string, words: readonly string[]): void {
  writeFileSync(file, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(file, 0o755);
}
