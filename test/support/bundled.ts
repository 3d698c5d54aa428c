/**
 * Before all tests: bundles the sources, for the tests and for the programs that they start as processes of their own. Both
 * import `src` as ever and are handed the bundle, by `fromBundle` and by bundled-hook.js: it loads in a third of the time of
 * hundreds of files, and its modules do not call each other through vitest.
 */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import type { Plugin } from 'vite';
import { newestIn } from './built.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SRC = join(ROOT, 'src');
/** For browsers: it is built on its own. */
const PAGE = join(SRC, 'dashboard', 'page', '/');
/** Below `node_modules`, since what is not bundled is found from there. */
const OUT = join(ROOT, 'node_modules', '.cache', 'vibe-engine-src');

export default async function bundle(): Promise<void> {
  const done = join(OUT, 'done'); // Written last.
  if (existsSync(done) && statSync(done).mtimeMs > newestIn(SRC)) return;
  rmSync(OUT, { recursive: true, force: true });
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !join(SRC, file).startsWith(PAGE),
  );
  const built = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: Object.fromEntries(files.map((file) => [file.slice(0, -'.ts'.length), join(SRC, file)])),
    external: [/^node:/, 'pg', '@opentelemetry/api', '@clack/prompts', 'semver'],
    plugins: [
      { name: 'as in the sources', transform: { filter: { code: 'import.meta.url' }, handler: asInSources } },
    ],
    logLevel: 'silent',
  });
  // The engine in one piece. What it loads only when it needs it stays apart: the driver of PostgreSQL, the command line.
  const codeSplitting = {
    groups: [
      {
        name: 'engine',
        test: /[\\/]src[\\/](?!cli|verbs|postgres|storage.postgres|system.hashing|system.stats)|zod/,
      },
    ],
  };
  await built.write({ dir: OUT, format: 'esm', keepNames: true, codeSplitting });
  await built.close();
  writeFileSync(done, '');
}

/** For every other process of Node: what it is to import before all else. */
export const HOOK: string = pathToFileURL(join(import.meta.dirname, 'bundled-hook.js')).href;

/** For vitest: a file of `src` is taken from the bundle. */
export const fromBundle: Plugin = {
  name: 'from the bundle',
  enforce: 'pre',
  async resolveId(specifier, importer) {
    const found = await this.resolve(specifier, importer, { skipSelf: true });
    if (!found?.id.startsWith(join(SRC, '/')) || !found.id.endsWith('.ts')) return found;
    if (found.id.startsWith(PAGE)) return found;
    return { ...found, id: join(OUT, found.id.slice(SRC.length, -'.ts'.length)).concat('.js') };
  },
};

/** A module finds what lies next to it where its source is. */
function asInSources(code: string, file: string): string {
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
}
