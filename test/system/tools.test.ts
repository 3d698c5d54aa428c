import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { toolVersion, versionIn } from '../../src/system/process/tools.ts';
import { tempDirs } from '../support/temp.ts';

const path = process.env.PATH;
const dirs = tempDirs();
afterEach(() => {
  process.env.PATH = path;
});

/** Puts a script on the PATH before everything else. */
function install(name: string, script: string): string {
  const dir = dirs();
  writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, name), 0o700);
  process.env.PATH = `${dir}:${path}`;
  return join(dir, name);
}

describe('toolVersion', () => {
  it('asks a tool that is there', async () => {
    expect(await toolVersion('git')).toMatch(/^\d+\.\d+/);
  });

  it('says null for one that is not, fails, or says nothing', async () => {
    expect(await toolVersion('no-such-tool-anywhere')).toBeNull();
    install('broken', 'echo 1.2.3; exit 3');
    expect(await toolVersion('broken')).toBeNull();
    install('silent', 'exit 0');
    expect(await toolVersion('silent')).toBeNull();
  });

  it('answers for node with the one that runs the task', async () => {
    expect(await toolVersion('node')).toBe(process.versions.node);
  });

  it('reads either output, and remembers what it found', async () => {
    const file = install('loud', 'echo "loud version 4.5.6" >&2');
    expect(await toolVersion('loud')).toBe('4.5.6');
    rmSync(file);
    expect(await toolVersion('loud')).toBe('4.5.6');
  });

  it('finds a tool that was installed after it was missed', async () => {
    expect(await toolVersion('late')).toBeNull();
    install('late', 'echo 7.8.9');
    expect(await toolVersion('late')).toBe('7.8.9');
  });

  it('starts nothing but a bare name, and no shell', async () => {
    const trace = join(dirs(), 'trace');
    const file = install('evil', `touch ${trace}; echo 1.0.0`);
    for (const name of [file, './evil', '-evil', 'evil;', 'evil --version', '$(evil)', '', '../evil']) {
      expect([name, await toolVersion(name)]).toEqual([name, null]);
    }
    expect(existsSync(trace)).toBe(false);
  });
});

describe('versionIn', () => {
  it.each([
    ['git version 2.39.5 (Apple Git-154)', '2.39.5'],
    ['go version go1.22.1 linux/amd64', '1.22.1'],
    ['gcc (Debian 12.2.0-14) 12.2.0', '12.2.0'],
    ['GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)', '5.2.15'],
    ['v25.0.0-rc.1', '25.0.0-rc.1'],
    ['Docker version 24.0.7, build afdd53b', '24.0.7'],
    ['openjdk 17', '17'],
    ['jq-1.6', '1.6'],
    ['nothing', null],
  ])('%s: %s', (text, version) => expect(versionIn(text)).toBe(version));
});
