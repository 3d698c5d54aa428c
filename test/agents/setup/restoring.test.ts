/** What a client's files are after our plugin was removed, and that nobody's change is lost. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { tomlMeaning } from '../../../src/agents/codex/setup.ts';
import {
  anyNoted,
  type Footprint,
  noteAfter,
  noteBefore,
  restoreAfter,
} from '../../../src/agents/setup/footprint.ts';
import { jsonMeaning, restoreAction } from '../../../src/agents/setup/restoring.ts';
import { tempDirs } from '../../support/temp.ts';

const tempDir = tempDirs();

describe('the fate of a file', () => {
  const meaning = jsonMeaning('enabledPlugins');

  test.each([
    ['as it was', { before: 'x', after: 'y', held: 'z', left: 'x' }, 'same'],
    ['missing as it was', { before: null, after: '{}', held: '{}', left: null }, 'same'],
    ['held since the install', { before: '{"a":1}', after: 'y', held: 'y', left: 'rest' }, 'put back'],
    ['made by the install', { before: null, after: 'y', held: 'y', left: '{}' }, 'put back'],
    [
      'laid out differently, with what the client leaves behind',
      { before: '{"a":1}', after: 'y', held: 'z', left: '{\n  "a": 1,\n  "enabledPlugins": {}\n}\n' },
      'put back',
    ],
    [
      'nothing but leftovers',
      { before: null, after: 'y', held: 'z', left: '{"enabledPlugins":{}}' },
      'put back',
    ],
    ['changed since', { before: '{"a":1}', after: 'y', held: 'z', left: '{"a":2}' }, 'leave'],
    [
      'plugins added since',
      { before: null, after: 'y', held: 'z', left: '{"enabledPlugins":{"b":true}}' },
      'leave',
    ],
    ['deleted since', { before: '{"a":1}', after: 'y', held: null, left: null }, 'leave'],
    ['no JSON', { before: '{"a":1}', after: 'y', held: 'z', left: '{"a":1' }, 'leave'],
    ['noted, never installed', { before: 'x', after: undefined, held: 'z', left: 'z' }, 'leave'],
  ] as const)('%s', (_, bytes, expected) => {
    expect(restoreAction(bytes, meaning)).toBe(expected);
  });

  test('an empty table of trust says nothing, one with members does', () => {
    expect(tomlMeaning('a = 1\n\n[hooks.state]\n')).toBe('a = 1');
    expect(tomlMeaning('[hooks.state]\n\n[more]\nx = 1\n')).toBe('[more]\nx = 1');
    expect(tomlMeaning('[hooks.state]\n')).toBeNull();
    const kept = '[hooks.state]\nx = 1';
    expect(tomlMeaning(kept)).toBe(kept);
  });
});

describe('a note', () => {
  const world = () => {
    const dir = tempDir();
    vi.stubEnv('VIBE_ENGINE_STATE_DIR', join(dir, 'state'));
    const settings = join(dir, 'home', 'settings.json');
    mkdirSync(join(dir, 'home'));
    const footprint: Footprint = {
      client: 'claude',
      project: null,
      files: [{ path: settings, meaning: jsonMeaning('enabledPlugins') }],
      directories: [join(dir, 'home', 'plugins')],
      ours: [join(dir, 'home', 'plugins', 'cache')],
    };
    /** As a client installs. */
    const install = () => {
      noteBefore(footprint, false);
      mkdirSync(join(dir, 'home', 'plugins', 'cache'), { recursive: true });
      writeFileSync(settings, '{\n  "enabledPlugins": { "vibe": true }\n}');
      noteAfter(footprint);
    };
    const leave = async () => writeFileSync(settings, '{\n  "enabledPlugins": {}\n}');
    return { dir, settings, footprint, install, leave };
  };

  test('brings back bytes and mode, and removes what the install made', async () => {
    const { dir, settings, footprint, install, leave } = world();
    writeFileSync(settings, '{ "enabledPlugins":{} }', { mode: 0o640 });
    install();
    expect(anyNoted(['codex'])).toBe(false);
    expect(anyNoted(['codex', 'claude'])).toBe(true);
    expect(await restoreAfter(footprint, leave)).toEqual([]);
    expect(readFileSync(settings, 'utf8')).toBe('{ "enabledPlugins":{} }');
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    expect(existsSync(join(dir, 'home', 'plugins'))).toBe(false);
    expect(anyNoted(['claude'])).toBe(false);
  });

  test('removes a file that was not there', async () => {
    const { settings, footprint, install, leave } = world();
    install();
    expect(await restoreAfter(footprint, leave)).toEqual([]);
    expect(existsSync(settings)).toBe(false);
  });

  test('leaves what was changed since, and says so', async () => {
    const { settings, footprint, install } = world();
    writeFileSync(settings, '{}');
    install();
    const mine = '{\n  "model": "mine",\n  "enabledPlugins": {}\n}';
    writeFileSync(settings, '{ "model": "mine", "enabledPlugins": { "vibe": true } }');
    expect(await restoreAfter(footprint, async () => writeFileSync(settings, mine))).toEqual([
      `${settings} was changed since the install, so it stays as it is now.`,
    ]);
    expect(readFileSync(settings, 'utf8')).toBe(mine);
  });

  test('keeps a directory with something of somebody else in it', async () => {
    const { dir, footprint, install, leave } = world();
    install();
    writeFileSync(join(dir, 'home', 'plugins', 'mine'), '');
    await restoreAfter(footprint, leave);
    expect(existsSync(join(dir, 'home', 'plugins', 'mine'))).toBe(true);
    expect(existsSync(join(dir, 'home', 'plugins', 'cache'))).toBe(false);
  });

  test('of the first install stays when it is installed again', async () => {
    const { settings, footprint, install, leave } = world();
    writeFileSync(settings, '{"a":1}');
    install();
    noteBefore(footprint, true);
    noteAfter(footprint);
    await restoreAfter(footprint, leave);
    expect(readFileSync(settings, 'utf8')).toBe('{"a":1}');
  });

  test('writes through a link, and not over it', async () => {
    const { dir, settings, footprint, install, leave } = world();
    writeFileSync(join(dir, 'dotfiles.json'), '{"a":1}');
    symlinkSync(join(dir, 'dotfiles.json'), settings);
    install();
    await restoreAfter(footprint, leave);
    expect(readFileSync(join(dir, 'dotfiles.json'), 'utf8')).toBe('{"a":1}');
  });
});
