/** Finds a Chromium: one that was named, the one from npm, or one of the machine's own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'vibe-engine');

export interface Found {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Or where it was looked for. */
export async function findChromium(
  env = process.env,
): Promise<Found | { readonly looked_at: readonly string[] }> {
  const named = env.VIBE_ENGINE_CHROMIUM;
  if (named) return { path: named, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return fromNpm();
  const places = [...namesOnPath(env), ...USUAL];
  const path = places.find(existsSync);
  return path === undefined ? { looked_at: places } : { path, env: {} };
}

/** `args`: besides what every test needs. None of those that the package from npm suggests: they switch off what is tested. */
export function launch({ path, env }: Found, args: readonly string[] = []): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({
    executablePath: path,
    args: [...sandbox, ...args],
    env: { ...(process.env as Record<string, string>), ...env },
  });
}

/**
 * Unpacked once, in a directory of our own: the package would run whatever `chromium` it finds in the one for temporary files.
 * Several processes may do this at once: the first to finish is taken.
 */
async function fromNpm(): Promise<Found> {
  const manifest = join(ROOT, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const dir = join(CACHE, `chromium-${version}`);
  if (!existsSync(dir)) await unpackInto(dir);
  const path = join(dir, 'chromium');
  const env = { FONTCONFIG_PATH: fontsIn(dir), LD_LIBRARY_PATH: join(dir, 'al2023', 'lib') };
  // A bare machine has not all libraries that it needs.
  const { status } = spawnSync(path, ['--version', '--no-sandbox']);
  return { path, env: status === 0 ? { FONTCONFIG_PATH: env.FONTCONFIG_PATH } : env };
}

/**
 * Its own settings look for the font in directories that only exist where it was made for. Without any font the browser ends
 * itself at the first field of a form.
 */
function fontsIn(dir: string): string {
  const place = join(dir, 'own-fonts');
  mkdirSync(place, { recursive: true });
  const dirs = `<dir>${join(dir, 'fonts')}</dir><cachedir>${join(place, 'cache')}</cachedir>`;
  const text = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs}</fontconfig>`;
  writeFileSync(join(place, 'fonts.conf'), text);
  return place;
}

async function unpackInto(dir: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const own = mkdtempSync(join(CACHE, 'unpacking-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = own;
  try {
    const { default: packed, inflate } = await import('@sparticuz/chromium');
    await packed.executablePath();
    await inflate(join(ROOT, 'node_modules', '@sparticuz', 'chromium', 'bin', 'al2023.tar.br'));
    renameSync(own, dir);
  } catch (error) {
    if (!existsSync(dir)) throw error;
  } finally {
    rmSync(own, { recursive: true, force: true });
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

function namesOnPath(env: NodeJS.ProcessEnv): string[] {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'msedge'];
  const ends = process.platform === 'win32' ? ['.exe'] : [''];
  const dirs = (env.PATH ?? '').split(delimiter).filter((dir) => dir !== '');
  return names.flatMap((name) => dirs.flatMap((dir) => ends.map((end) => join(dir, name + end))));
}

const USUAL: readonly string[] =
  process.platform === 'darwin'
    ? ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
        (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
      )
    : process.platform === 'win32'
      ? ['ProgramFiles', 'ProgramFiles(x86)', 'LocalAppData'].flatMap((base) =>
          ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'].map(
            (name) => join(process.env[base] ?? '', name),
          ),
        )
      : [];
