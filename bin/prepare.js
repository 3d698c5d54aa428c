// Builds dist/ after an install. If the tools are not installed yet (npx before npm ci) it exits silently: a failing prepare
// would poison npx's cache.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const needed = ['node_modules/typescript/bin/tsc', 'node_modules/rolldown/package.json', 'src'];
if (needed.every((path) => existsSync(root + path))) await import('./build.js');
