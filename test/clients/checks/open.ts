/** A host that is missing, refuses or hangs: the client's turn ends as without us, and with --strict its call does not run. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BROKEN, breakHost } from '../broken/place.ts';
import { setHooked } from '../hooked.ts';
import type { ClientName } from '../install.ts';
import type { Check, Outcome } from './check.ts';

const scripts = () => ({
  write: [{ calls: [{ kind: 'write' as const, path: 'a.txt', text: 'one\n' }] }, { text: 'Done.' }],
});

export const open: Check = {
  name: 'open',
  async *run(client) {
    for (const strict of [false, true]) yield* broken(client, strict);
  },
};

async function* broken(client: ClientName, strict: boolean): AsyncGenerator<Outcome> {
  for (const how of BROKEN) {
    await using stage = await setHooked(client, scripts, { strict, own_node: true });
    const file = join(stage.place.project, 'a.txt');
    if (how === 'missing') {
      await stage.ask('[[write]] Do it.');
      const problems = existsSync(file) ? [] : ['the call did not run with a host'];
      yield { part: strict ? 'strict' : 'whole', problems };
      rmSync(file, { force: true });
    }
    breakHost(stage, how);
    const began = performance.now();
    await stage.ask('[[write]] Do it.');
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const ran = existsSync(file);
    const problems = ran === !strict ? [] : [ran ? 'the call ran' : 'the call did not run'];
    yield { part: `${strict ? 'strict, ' : ''}${how} (${seconds} s)`, problems };
  }
}
