/**
 * `npm run picture`: runs the demo of the build at a real terminal and keeps what it showed as docs/demo.svg. `npm run picture -- rewind`
 * does the same with a session of Claude Code that is rewound, as docs/rewind.svg; `npm run picture -- dashboard` takes the pictures of
 * the dashboard.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { demo } from './demo.ts';
import { svgOf } from './svg.ts';
import { COLUMNS } from './terminal.ts';

const name = process.argv[2] ?? 'demo';
if (name === 'dashboard') {
  await (await import('./dashboard.ts')).dashboard();
  process.exit(0);
}
const drawn = name === 'rewind' ? await (await import('./rewind.ts')).rewind() : await demo();
if (drawn) {
  const target = fileURLToPath(new URL(`../docs/${name}.svg`, import.meta.url));
  writeFileSync(target, svgOf(drawn.rows, COLUMNS, drawn.title));
  console.log(`${target}: ${drawn.rows.length} rows`);
}
