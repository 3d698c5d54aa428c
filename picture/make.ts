/** `npm run picture`: runs the demo of the build at a real terminal and keeps what it showed as docs/demo.svg. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { widthOf } from '../src/verbs/format/width.ts';
import { screenAfter, textOf } from './screen.ts';
import { svgOf } from './svg.ts';

const COLUMNS = 114;
const TITLE = 'npx vibe-engine demo';
const launcher = fileURLToPath(new URL('../bin/vibe-engine.js', import.meta.url));
const target = fileURLToPath(new URL('../docs/demo.svg', import.meta.url));

const command = `stty cols ${COLUMNS} rows 50; exec '${process.execPath}' '${launcher}' demo`;
const env = {
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  TERM: 'xterm-256color',
  SHELL: '/bin/sh',
  npm_command: 'exec', // as npx sets it
};
// The line that was typed is part of the picture.
const typed = `\u001b[2m$\u001b[22m \u001b[1m${TITLE}\u001b[22m\r\n`;
const raw = execFileSync('script', ['-qec', command, '/dev/null'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const rows = screenAfter(typed + raw.toString('utf8'), widthOf);
while (textOf(rows.at(-1) ?? []) === '' && rows.length > 0) rows.pop();
writeFileSync(target, svgOf(rows, COLUMNS, TITLE));
console.log(`${target}: ${rows.length} rows`);
