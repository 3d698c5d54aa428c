/** A host that is missing, refuses or hangs: the client's turn ends as without us, and with --strict its call does not run. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
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
    yield await toldOnce(client);
  },
};

/** Where a client without a screen says what hooks have to tell a person. */
const TELLS: Partial<Readonly<Record<ClientName, readonly string[]>>> = {
  claude: ['--output-format', 'stream-json', '--verbose'],
  gemini: [],
};

/** A store that cannot be opened: the turn ends as without us, and the person is told of it once. */
async function toldOnce(client: ClientName): Promise<Outcome> {
  const part = 'told once';
  const more = TELLS[client];
  if (!more) return { part, problems: [], skipped: 'it shows what hooks tell a person on its screen alone' };
  await using stage = await setHooked(client, scripts);
  writeFileSync(join(stage.place.project, '.vibe-engine'), 'not a directory');
  const { stdout, stderr } = await stage.ask('[[write]] Do it.', { more });
  const times = `${stdout}${stderr}`.split('Vibe Engine does not record this session').length - 1;
  const ran = existsSync(join(stage.place.project, 'a.txt'));
  return {
    part,
    problems: [
      ...(times === 1 ? [] : [`the person was told ${times} times`]),
      ...(ran ? [] : ['the call did not run']),
    ],
  };
}

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
