// Builds dist/ after an install. Where the tools are not there yet (npx before npm ci) it leaves quietly:
// a failing prepare would poison npx's cache.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const needed = ['node_modules/typescript/bin/tsc', 'node_modules/rolldown/package.json', 'src'];
if (needed.every((path) => existsSync(root + path))) await import('./build.js');
