// Builds dist/ after an install. Where TypeScript is not there yet (npx before npm ci) it leaves quietly:
// a failing prepare would poison npx's cache.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = `${root}node_modules/typescript/bin/tsc`;
if (existsSync(tsc) && existsSync(`${root}src`)) {
  const run = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exit(run.status ?? 1);
}
