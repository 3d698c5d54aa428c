/** What can be wrong with a directory that somebody sends, each by itself: a clone has any of them. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hostileSettings, plantSettings, settingsOf } from '../attacks/hostile-clone.ts';
import type { Random } from '../crash/random.ts';
import { git, program, type Template } from './template.ts';

export interface Victim extends Template {
  readonly random: Random;
}

/** By the shell itself: what a filter starts would be seen too. */
const COPY = `while IFS= read -r line; do printf '%s\\n' "$line"; done`;

/** Nobody listens there. */
const SERVER = '127.0.0.1:9';

/** Settings of git that name a program, which git would not run for anything that is asked of it here. */
const NEVER = [
  ...['core.fsmonitor', 'core.pager', 'core.editor', 'sequence.editor', 'core.askPass', 'diff.external'],
  ...[
    'diff.evil.textconv',
    'diff.evil.command',
    'gpg.program',
    'uploadpack.packObjectsHook',
    'core.alternateRefsCommand',
  ],
  ...[
    'trailer.x.command',
    'alias.status',
    'interactive.diffFilter',
    'mergetool.x.cmd',
    'difftool.x.cmd',
    'sendemail.smtpserver',
  ],
] as const;

export const TRAITS: Readonly<Record<string, (victim: Victim) => void>> = {
  settings: ({ dir, bait, elsewhere, random }) => {
    const command = program(join(bait, 'setting'));
    const all = hostileSettings({ command, url: `postgres://x:y@${SERVER}/x`, elsewhere });
    plantSettings(dir, settingsOf(all.filter(() => random.oneIn(3))));
  },
  'every setting': ({ dir, bait, elsewhere }) => {
    const command = program(join(bait, 'setting'));
    const all = hostileSettings({ command, url: `postgres://x:y@${SERVER}/x`, elsewhere });
    plantSettings(dir, settingsOf(all.filter(({ value }) => value !== 'registered-by-somebody')));
  },
  'settings that run': ({ dir, bait }) => {
    const command = program(join(bait, 'setting'));
    plantSettings(dir, {
      conflicts: { resolver: command, merge_tool: command },
      drift: { test_command: command, auto_rebase: true },
      encryption: { key_from: 'command', key_command: command },
      recovery: { on_upstream: 'rebase' },
    });
  },
  'a server': ({ dir }) => {
    const persistence = { storage_type: 'postgres', url: `postgres://x:y@${SERVER}/x` };
    plantSettings(dir, { persistence, encryption: { enabled: true } });
  },
  'no upstream': ({ dir }) => {
    git(dir, 'remote', 'remove', 'origin');
  },
  'git config': (victim) => {
    for (const place of [victim.dir, victim.elsewhere])
      for (const key of NEVER) set(place, key, program(join(victim.bait, key)));
  },
  hooks: ({ dir, elsewhere, bait }) => {
    for (const place of [dir, elsewhere]) {
      for (const name of HOOKS) program(join(place, '.git', 'hooks', name));
      const path = join(bait, 'hooks');
      mkdirSync(path, { recursive: true });
      for (const name of HOOKS) program(join(path, name));
      set(place, 'core.hooksPath', path);
    }
  },
  filters: ({ dir, elsewhere, bait }) => {
    for (const place of [dir, elsewhere]) {
      const filter = program(join(bait, 'as-git', 'filter'), COPY);
      set(place, 'filter.evil.clean', filter);
      set(place, 'filter.evil.smudge', filter);
      set(place, 'merge.evil.driver', program(join(bait, 'as-git', 'driver')));
    }
  },
  remote: ({ dir, bait, random }) => {
    const evil = program(join(bait, 'as-git', 'ssh'));
    set(dir, 'core.sshCommand', evil);
    set(dir, 'credential.helper', `!${evil}`);
    set(dir, 'remote.origin.uploadpack', evil);
    if (random.oneIn(2))
      set(dir, 'remote.origin.url', random.pick([`ssh://${SERVER}/x`, `http://${SERVER}/x`]));
  },
  'a remote that is a command': ({ dir, bait }) => {
    set(dir, 'protocol.ext.allow', 'always');
    set(dir, 'remote.origin.url', `ext::${program(join(bait, 'remote'))}`);
  },
  'a linked store': ({ dir, root }) => {
    renameSync(join(dir, '.vibe-engine'), join(root, 'linked-store'));
    symlinkSync(join(root, 'linked-store'), join(dir, '.vibe-engine'));
  },
  'a bare repository among the files': ({ dir, bait }) => {
    const bare = join(dir, 'sub');
    git(dir, 'init', '--quiet', '--bare', bare);
    git(bare, 'config', 'core.fsmonitor', program(join(bait, 'bare')));
  },
  names: ({ dir, bait }) => {
    const evil = program(join(bait, 'name'));
    for (const name of [
      `$(${evil.replaceAll('/', '\u2215')})`,
      '--upload-pack=x',
      '-oProxyCommand=x',
      ';x',
      '`x`.txt',
    ])
      writeFileSync(join(dir, name), 'x\n');
    git(dir, 'branch', '--', '$(x)');
    for (const name of ['git', 'node', 'sh', 'evil-tool', 'true']) program(join(dir, name));
    mkdirSync(join(dir, 'node_modules', '.bin'), { recursive: true });
    for (const name of ['git', 'node', 'vibe-engine']) program(join(dir, 'node_modules', '.bin', name));
    appendFileSync(join(dir, '.npmrc'), `script-shell=${evil}\nnode-options=--require ${evil}\n`);
  },
  submodules: ({ dir, bait }) => {
    const evil = program(join(bait, 'submodule'));
    appendFileSync(
      join(dir, '.gitmodules'),
      `[submodule "x"]\n\tpath = x\n\turl = ext::${evil}\n\tupdate = !${evil}\n`,
    );
    set(dir, 'submodule.x.update', `!${evil}`);
    set(dir, 'submodule.recurse', 'true');
    set(dir, 'fetch.recurseSubmodules', 'true');
  },
  // Last: the others ask git for what is then missing.
  promisor: ({ dir, elsewhere, bait, random }) => {
    const evil = program(join(bait, 'promisor'));
    for (const place of [dir, elsewhere]) {
      forgetObjects(place, random);
      set(place, 'core.repositoryFormatVersion', '1');
      set(place, 'extensions.partialClone', 'evil');
      set(place, 'remote.evil.promisor', 'true');
      set(
        place,
        'remote.evil.url',
        random.pick([`ext::${evil}`, '/', `http://${SERVER}/x`, `ssh://${SERVER}/x`]),
      );
      set(place, 'remote.evil.uploadpack', evil);
      set(place, 'protocol.ext.allow', 'always');
    }
  },
};

const HOOKS = [
  ...['pre-commit', 'commit-msg', 'post-commit', 'post-checkout', 'post-merge', 'pre-rebase', 'post-rewrite'],
  ...[
    'post-index-change',
    'reference-transaction',
    'fsmonitor-watchman',
    'pre-auto-gc',
    'post-applypatch',
    'push-to-checkout',
  ],
];

function set(place: string, key: string, value: string): void {
  git(place, 'config', '--add', key, value);
}

/** Contents that snapshots refer to, and a few more objects, are missing: a reader would have to fetch them. */
function forgetObjects(place: string, random: Random): void {
  const objects = join(place, '.git', 'objects');
  const needed = ['a.txt', 'data.bin'].map((name) => git(place, 'rev-parse', `HEAD:${name}`).slice(0, 2));
  for (const prefix of readdirSync(objects).filter((name) => name.length === 2)) {
    if (needed.includes(prefix) || random.oneIn(8)) rmSync(join(objects, prefix), { recursive: true });
  }
}
