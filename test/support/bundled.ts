/**
 * Before all tests: bundles the sources for the programs that tests start as processes of their own. Such a program imports
 * `src` as ever; bundled-hook.js hands it the bundle, which loads in a third of the time of hundreds of files.
 */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { newestIn } from './built.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SRC = join(ROOT, 'src');
/** Below `node_modules`, since what is not bundled is found from there. */
const OUT = join(ROOT, 'node_modules', '.cache', 'vibe-engine-src');

export default async function bundle(): Promise<void> {
  const done = join(OUT, 'done'); // Written last.
  if (existsSync(done) && statSync(done).mtimeMs > newestIn(SRC)) return;
  rmSync(OUT, { recursive: true, force: true });
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
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
        test: /[\\/]src[\\/](?!cli|verbs|postgres|storage.postgres|system.hashing)|zod/,
      },
    ],
  };
  await built.write({ dir: OUT, format: 'esm', keepNames: true, codeSplitting });
  await built.close();
  writeFileSync(done, '');
}

/** A module finds what lies next to it where its source is. */
function asInSources(code: string, file: string): string {
  return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
}
