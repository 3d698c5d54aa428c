/** Where keys come from, and what is said when they do not. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/types.ts';
import {
  keyFromCommand,
  keyFromEnvironment,
  keyFromFile,
  keyFromPassphrase,
} from '../../src/storage/encrypted/providers.ts';
import { createStorageFromConfig } from '../../src/storage/opening/factory.ts';
import { withoutKeys } from '../../src/system/process/environment.ts';
import { expectCode } from '../contract/support.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const asked = { store: 'a'.repeat(32), salt: new Uint8Array(16) };
const KEY = randomBytes(32);

describe('a key', () => {
  test('is 64 hexadecimal digits or base64, wherever it is', async () => {
    const texts = [KEY.toString('hex'), KEY.toString('base64'), ` ${KEY.toString('base64url')}\n`];
    for (const text of texts) {
      expect(await keyFromEnvironment({ VIBE_ENGINE_KEY: text }).key(asked)).toEqual(KEY);
      const file = join(tempDir(), 'key');
      writeFileSync(file, text, { mode: 0o600 });
      expect(await keyFromFile(file).key(asked)).toEqual(KEY);
      expect(await keyFromCommand(`cat '${file}'`).key(asked)).toEqual(KEY);
    }
    const file = join(tempDir(), 'key');
    writeFileSync(file, KEY, { mode: 0o600 });
    expect(await keyFromFile(file).key(asked)).toEqual(KEY);
  });

  test('that is missing, or is none, is asked for without being shown', async () => {
    const wrong = 'this is not a key but may be a password';
    for (const provider of [
      keyFromEnvironment({}),
      keyFromEnvironment({ VIBE_ENGINE_KEY: wrong }),
      keyFromFile(join(tempDir(), 'absent')),
      keyFromCommand('exit 3'),
      keyFromCommand(`echo '${wrong.slice(0, 10)}'`),
      keyFromPassphrase(undefined),
      keyFromPassphrase('short'),
    ]) {
      const error = await provider.key(asked).then(
        () => null,
        (error) => error,
      );
      expect(error).toMatchObject({ code: 'NO_KEY' });
      expect(JSON.stringify([error.message, error.hint, error.data])).not.toContain(wrong);
    }
  });

  test.skipIf(process.platform === 'win32')('in a file that others can read is refused', async () => {
    const file = join(tempDir(), 'key');
    writeFileSync(file, KEY);
    chmodSync(file, 0o640);
    await expectCode(keyFromFile(file).key(asked), 'NO_KEY');
    const odd = join(tempDir(), "it's a key");
    writeFileSync(odd, KEY);
    chmodSync(odd, 0o640);
    const refused = await keyFromFile(odd)
      .key(asked)
      .catch((error) => error);
    execFileSync('/bin/sh', ['-c', refused.hint.replace('Run: ', '')]);
    expect(await keyFromFile(odd).key(asked)).toEqual(KEY);
  });

  test.skipIf(process.platform === 'win32')('is not waited for where no file is', async () => {
    const pipe = join(tempDir(), 'pipe');
    execFileSync('mkfifo', ['-m', '600', pipe]);
    for (const path of [pipe, tempDir()])
      await expect(keyFromFile(path).key(asked)).rejects.toThrow('it is not a file');
  });

  test('of a command that does not end is waited for no longer than a while', async () => {
    const late = keyFromCommand('exec sleep 60', 50).key(asked);
    await expect(late).rejects.toThrow('still running after 0.05 seconds');
  });

  test.skipIf(process.platform === 'win32')('may be in a file that a link leads to', async () => {
    const [file, link] = [join(tempDir(), 'key'), join(tempDir(), 'link')];
    writeFileSync(file, KEY.toString('hex'), { mode: 0o600 });
    symlinkSync(file, link);
    expect(await keyFromFile(link).key(asked)).toEqual(KEY);
    chmodSync(file, 0o644);
    await expectCode(keyFromFile(link).key(asked), 'NO_KEY');
  });

  test('is not thirty-two characters that somebody typed', async () => {
    const file = join(tempDir(), 'key');
    for (const typed of ['correct horse battery staple 123', '0123456789abcdef0123456789abcdef']) {
      writeFileSync(file, typed, { mode: 0o600 });
      await expectCode(keyFromFile(file).key(asked), 'NO_KEY');
    }
  });

  test('is not seen by commands that are run', () => {
    const keys = [
      'VIBE_ENGINE_KEY',
      'VIBE_ENGINE_PASSPHRASE',
      'VIBE_ENGINE_NEW_KEY',
      'VIBE_ENGINE_NEW_PASSPHRASE',
    ];
    const env = { PATH: '/bin', ...Object.fromEntries(keys.map((name) => [name, 'secret'])) };
    expect(withoutKeys(env)).toEqual({ PATH: '/bin' });
  });

  test('of a passphrase depends on it and on the salt', async () => {
    const [one, other] = [keyFromPassphrase('four words or so'), keyFromPassphrase('four words or sp')];
    const key = await one.key(asked);
    expect(key).toHaveLength(32);
    expect(await one.key(asked)).toEqual(key);
    expect(await other.key(asked)).not.toEqual(key);
    expect(await one.key({ ...asked, salt: randomBytes(16) })).not.toEqual(key);
  });
});

describe.each(['json', 'sqlite'] as const)('the settings, on %s', (storage_type) => {
  const config = (encryption: ConfigInput['encryption']): ConfigInput => ({
    persistence: { storage_type },
    encryption,
  });
  const env = { VIBE_ENGINE_KEY: KEY.toString('hex'), VIBE_ENGINE_PASSPHRASE: 'correct horse battery' };

  test.each(['environment', 'passphrase', 'file', 'command'] as const)(
    'open a store by %s',
    async (key_from) => {
      const project_dir = tempDir();
      writeFileSync(join(project_dir, 'my.key'), KEY.toString('hex'), { mode: 0o600 });
      const command = `echo ${KEY.toString('hex')}`;
      const settings = config({ enabled: true, key_from, key_file: 'my.key', key_command: command });
      for (const turn of [1, 2]) {
        const store = await createStorageFromConfig(settings, { project_dir, env });
        if (turn === 1) await store.save('config', 'a', { some: 'thing' });
        expect(await store.load('config', 'a')).toEqual({ some: 'thing' });
        await store.close();
      }
      await expectCode(createStorageFromConfig(config({}), { project_dir, env }), 'STORE_ENCRYPTED');
    },
  );

  test('need what they speak of', async () => {
    const project_dir = tempDir();
    for (const key_from of ['file', 'command'] as const)
      await expectCode(
        createStorageFromConfig(config({ enabled: true, key_from }), { project_dir, env }),
        'CONFIG_INVALID',
      );
    await expectCode(createStorageFromConfig(config({ enabled: true }), { project_dir, env: {} }), 'NO_KEY');
  });
});
