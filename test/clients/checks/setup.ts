/** `hooks install`, `status` and `remove` with a real client, in a home of its own: what its files are before and after. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Place } from '../drive/driver.ts';
import { MAIN } from '../hooked.ts';
import type { ClientName } from '../install.ts';
import { setStage } from '../stage.ts';
import type { Check } from './check.ts';
import { SETUP_CASES } from './setup-cases.ts';

export interface SetupCase {
  /** The settings that a person has before, by their paths in the home; written as odd as people write them. */
  readonly settings: Readonly<Record<string, string>>;
  /** A change that a person makes while it is installed: path in the home, and the text afterwards. */
  readonly change: readonly [path: string, changed: (text: string) => string];
  /** A command that has the client make its own files first. */
  readonly warmUp: readonly string[];
  /** Files of the client's own that every run of it changes. */
  readonly noise: RegExp;
  readonly install: readonly string[];
}

export const setup: Check = {
  name: 'setup',
  async *run(client) {
    await using stage = await setStage(client, () => ({}), { record: false });
    yield { part: 'files', problems: await wrongWith(client, SETUP_CASES[client], stage.place) };
  },
};

async function wrongWith(client: ClientName, check: SetupCase, place: Place): Promise<string[]> {
  try {
    await checkSetup(client, check, place);
    return [];
  } catch (error) {
    return [String(error)];
  }
}

/** Throws with what is wrong. */
async function checkSetup(client: ClientName, check: SetupCase, place: Place): Promise<void> {
  const { settings, change, noise } = check;
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(dirname(join(place.home, path)), { recursive: true });
    writeFileSync(join(place.home, path), text);
  }
  await run(place, client, check.warmUp);
  const before = filesOf(place.home, noise);

  const state = async (verb: string, ...options: readonly string[]) => {
    const { out, err } = await run(place, process.execPath, [
      MAIN,
      'hooks',
      verb,
      client,
      '--json',
      ...options,
    ]);
    const { ok, data } = JSON.parse(out || '{}');
    if (!ok) throw new Error(`hooks ${verb} ${client}: ${out}${err}`);
    return data.clients[0] as { installed: boolean; active: boolean; missing: string[] };
  };
  const same = (told: unknown, expected: unknown, what: string) => {
    if (JSON.stringify(told) !== JSON.stringify(expected))
      throw new Error(
        `${what}: ${JSON.stringify(told, null, 1)} instead of ${JSON.stringify(expected, null, 1)}`,
      );
  };
  const active = { installed: true, active: true };
  const brief = ({ installed, active }: { installed: boolean; active: boolean }) => ({ installed, active });

  same(brief(await state('status')), { installed: false, active: false }, 'status before');
  same(brief(await state('install', ...check.install)), active, 'install');
  same(brief(await state('install', ...check.install)), active, 'install again');
  same(brief(await state('status')), active, 'status');
  same(brief(await state('remove')), { installed: false, active: false }, 'remove');
  same(differing(before, filesOf(place.home, noise)), [], 'files that differ after remove');
  same(await state('remove').then(brief), { installed: false, active: false }, 'remove again');

  await state('install', ...check.install);
  const [path, changed] = change;
  const text = changed(readFileSync(join(place.home, path), 'utf8'));
  writeFileSync(join(place.home, path), text);
  const { missing } = await state('remove');
  if (!missing.some((sentence) => sentence.includes(path)))
    throw new Error(`it does not say that ${path} was changed`);
  if (!readFileSync(join(place.home, path), 'utf8').includes('mine'))
    throw new Error(`a change of ${path} is lost`);
}

function run(place: Place, program: string, args: readonly string[]): Promise<{ out: string; err: string }> {
  const { PATH = '', LANG, TMPDIR } = process.env;
  const path = [place.bin, dirname(process.execPath), PATH].join(delimiter);
  const env = {
    ...{ HOME: place.home, PATH: path, LANG, TMPDIR, TERM: 'dumb', NO_COLOR: '1' },
    ...{
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
    },
  };
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd: place.project, env, maxBuffer: 1 << 26 }, (_, out, err) =>
      resolve({ out, err }),
    );
    child.stdin!.end();
  });
}

function differing(before: Record<string, string>, after: Record<string, string>): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (path) => before[path] !== after[path],
  );
}

/** Our own, which are not the client's. */
const OURS = /^\.(?:cache|local\/state)\//;

function filesOf(home: string, noise: RegExp): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1)).sort();
  return Object.fromEntries(
    paths
      .filter((path) => !noise.test(path) && !OURS.test(path))
      .map((path) => [path, readFileSync(join(home, path), 'base64')]),
  );
}
