/** Before all tests: builds the command that they drive, unless it was built since its sources were last changed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export default function build(): void {
  const built = join(ROOT, 'dist', 'index.d.ts'); // What a build writes last.
  if (existsSync(built) && statSync(built).mtimeMs > newestIn(join(ROOT, 'src'))) return;
  execFileSync(process.execPath, [join(ROOT, 'bin', 'build.js')], { stdio: 'inherit' });
}

/** When the newest of its files was changed. */
export function newestIn(directory: string): number {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(directory, file)).mtimeMs));
}
