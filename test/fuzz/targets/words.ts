/** What people, scripts and agents type: settings, command lines, slash commands, input and answers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMON } from '../../../src/cli/common/options.ts';
import { readInput } from '../../../src/cli/running/input.ts';
import { CLI_VERBS } from '../../../src/cli/verbs.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { SETTINGS } from '../../../src/config/settings.ts';
import { redacted } from '../../../src/engine/api/redact.ts';
import { encode } from '../../../src/storage/serialize.ts';
import { valueIn } from '../../../src/verbs/change/answer.ts';
import { readWords, splitLine } from '../../../src/verbs/kit/words.ts';
import { speak } from '../../../src/verbs/text/choose.ts';
import { VERBS } from '../../../src/verbs/verbs.ts';
import { type Target, textSeeds } from '../target.ts';

const say = await speak('en');
const dir = mkdtempSync(join(tmpdir(), 've-fuzz-'));
/** Also done when the process ends by itself. */
export const removeScratch = (): void => rmSync(dir, { recursive: true, force: true });
process.once('exit', removeScratch);
mkdirSync(join(dir, '.vibe-engine'));
const bare = { home: join(dir, 'nobody'), platform: 'linux' };

const configFile: Target = {
  name: 'config.json',
  seeds: textSeeds(
    JSON.stringify({ persistence: { storage_type: 'sqlite', path: 'x.db' }, encryption: { enabled: true } }),
    JSON.stringify({ persistence: { storage_type: 'mine', other: { a: 1 } } }),
    JSON.stringify({
      checkpoints: { triggers: { interval_minutes: 3 }, compression: 'zstd' },
      workspace: {},
    }),
    '{ "persistence": { "base_dir": "~/x", } }',
  ),
  read(bytes) {
    writeFileSync(join(dir, '.vibe-engine', 'config.json'), bytes);
    return loadConfig({ ...bare, project_dir: dir, env: {} });
  },
};

/** A variable a line. */
const variables: Target = {
  name: 'variables',
  seeds: textSeeds(
    SETTINGS.map(({ variable, default: value }) => `${variable}=${value}`).join('\n'),
    'VIBE_ENGINE_PERSISTENCE_STORAGE_TYPE=mine\nVIBE_ENGINE_PERSISTENCE_OTHER=x\nDATABASE_URL=postgres://a:b@localhost/c',
  ),
  read(bytes) {
    const pairs = bytes
      .toString('utf8')
      .split('\n')
      .map((line) => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)] as const);
    return loadConfig({ ...bare, project_dir: bare.home, env: Object.fromEntries(pairs) });
  },
};

const reading = { say, helpFor: (words: string) => words };

/** A word a line. */
const commandLine: Target = {
  name: 'command line',
  seeds: textSeeds(
    'run\ntask.ts\n--input\n{"a":1}\n--json',
    'checkpoints\nlist\nx7k2qf\n--lang\nzh-Hant',
    'help\nresume',
    '--project\n/tmp\ntasks\n--status\nfailed,paused\n--',
    'exec\n--name\nx\n--\nls\n-l',
  ),
  read: (bytes) =>
    readWords(bytes.toString('utf8').split('\n'), { ...reading, registry: CLI_VERBS, common: COMMON }),
};

const slash: Target = {
  name: 'slash command',
  seeds: textSeeds(
    'checkpoints list x7k2qf',
    'answer x7k2qf \'{"port": 8080}\' --by "Ada L."',
    'rollback ckpt-x-3 --only files',
  ),
  read: (bytes) => readWords(splitLine(bytes.toString('utf8')), { ...reading, registry: VERBS, common: {} }),
};

/** `@file` would read any file, `-` the terminal: the file is given as one. */
const input: Target = {
  name: 'task input',
  seeds: textSeeds('{"url":"http://localhost","deep":[[[1]]]}', '"text"', '[1,2,{"__proto__":{"a":1}}]'),
  async read(bytes) {
    const file = join(dir, 'input.json');
    writeFileSync(file, bytes);
    const value = await readInput(`@${file}`, say);
    return encode(redacted(value, (text) => text));
  },
};

const answer: Target = {
  name: 'answer',
  seeds: textSeeds('yes', '{"port":8080}', '"text"', '12', '[true]'),
  read: (bytes) => encode(valueIn(bytes.toString('utf8'))),
};

export const WORDS: readonly Target[] = [configFile, variables, commandLine, slash, input, answer];
