/** Puts a host that does not do its work in the place of ours, in every file of the client's that starts it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooked, MAIN } from '../hooked.ts';

export const BROKEN = ['missing', 'refusing', 'hung'] as const;
export type Broken = (typeof BROKEN)[number];

const HOST = join(import.meta.dirname, 'host.js');

export function breakHost({ root, place }: Hooked, how: Broken): void {
  const program = join(root, `${how}.js`);
  if (how !== 'missing')
    writeFileSync(
      program,
      `process.env.VIBE_BROKEN_HOST = ${JSON.stringify(how)};\nimport(${JSON.stringify(HOST)});\n`,
    );
  for (const file of filesIn(place.home)) {
    const text = readFileSync(file, 'utf8');
    if (text.includes(MAIN)) writeFileSync(file, text.replaceAll(MAIN, program));
  }
}

function filesIn(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:json|js|sh|toml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/node_modules/'));
}
