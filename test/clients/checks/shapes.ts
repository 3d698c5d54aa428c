/** Every session of the recording, played again, has the events and the fields that were recorded: what `npm test` reads is still so. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVENTS, record } from '../record.ts';
import { SESSIONS } from '../sessions.ts';
import { difference, shapeOf } from '../shape.ts';
import type { Check } from './check.ts';

export const shapes: Check = {
  name: 'shapes',
  async *run(client) {
    for (const session of SESSIONS) {
      const skipped = session.not?.[client];
      if (skipped !== undefined) {
        yield { part: session.name, problems: [], skipped };
        continue;
      }
      const file = join(EVENTS, client, `${session.name}.jsonl`);
      if (!existsSync(file)) {
        yield { part: session.name, problems: ['it was never recorded'] };
        continue;
      }
      const kept = parsed((await readFile(file, 'utf8')).split('\n').filter((line) => line !== ''));
      const { events } = await record(client, session);
      yield { part: session.name, problems: difference(shapeOf(kept), shapeOf(parsed(events))) };
    }
  },
};

const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line) as unknown);
