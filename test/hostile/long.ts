/**
 * `npm run test:hostile`: 2,000 verbs typed in directories that somebody sent, each with other settings, git configuration,
 * hooks, filters, links and names, watched by strace; then the seeded bugs. Exits with 1 when a program was started or an
 * address turned to that the person has neither named nor trusted, or a bug went unnoticed.
 *
 *   --count 200    so many verbs, 20 in each directory
 *   --seed 7       other directories; the date's number by default
 *   --only 12      the directory of this number alone
 *   --no-mutants   without the seeded bugs
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MAIN } from '../cli/cli.ts';
import { clockFrom } from '../crash/tables.ts';
import { attack } from './campaign.ts';
import { catchMutant, MUTANTS } from './mutants.ts';
import { buildTemplate } from './template.ts';
import { unwatchable } from './watch.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: 'string' },
    'no-mutants': { type: 'boolean', default: false },
  },
});
const IN_EACH = 20;
const clock = clockFrom(performance.now());
const say = (line: string): void => console.log(`${clock()} ${line}`);
const [seed, count] = [Number(values.seed), Number(values.count)];
const why = unwatchable();
if (why !== null) {
  say(`skipped: ${why}`);
  process.exit(0);
}
const root = mkdtempSync(join(tmpdir(), 've-hostile-'));
process.env.VIBE_ENGINE_STATE_DIR = join(root, 'sender');
let [broken, tried] = [0, 0];
try {
  const template = await buildTemplate(root);
  const began = performance.now();
  for (let number = Number(values.only ?? 0); tried < count; number++) {
    const commands = Math.min(IN_EACH, count - tried);
    const report = await attack(template, { seed, number, cli: [process.execPath, MAIN], commands });
    tried += report.tried;
    broken += report.violations.length;
    for (const one of report.violations) say(`VIOLATION ${one}`);
    if (tried % 100 === 0)
      say(`${tried} verbs, ${(((performance.now() - began) / 1000 / tried) * 100).toFixed(0)} s per 100`);
    if (values.only !== undefined) break;
  }
  say(`seed ${seed}: ${tried} verbs, ${broken} violations`);
  for (const bug of values['no-mutants'] ? [] : MUTANTS) {
    const caught = await catchMutant(template, bug);
    if (caught === undefined) broken++;
    say(`${bug.name}: ${caught === undefined ? 'NOT NOTICED' : 'noticed'}`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = broken > 0 ? 1 : 0;
