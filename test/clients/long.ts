/**
 * `npm run test:clients`: the real agents, without a screen, a network or a model of their own. Fetches each from npm into a cache,
 * then runs every check with it against the fake model, in a network that is loopback alone. Exits with 1 when a check fails; what
 * cannot be had here is skipped, with the reason.
 *
 *   --only claude,codex    these clients only
 *   --check shapes         these checks only
 *   --online               in the network as it is, where `unshare` cannot be had
 */
import { parseArgs } from 'node:util';
import { CHECKS } from './checks/all.ts';
import { CLIENTS, type ClientName, install, PACKAGES } from './install.ts';
import { againOffline, isOffline, whyNotOffline } from './offline.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    check: { type: 'string' },
    online: { type: 'boolean', default: false },
  },
});
const clients = CLIENTS.filter((client) => values.only?.split(',').includes(client) ?? true);
const checks = CHECKS.filter(({ name }) => values.check?.split(',').includes(name) ?? true);

if (!values.online && !isOffline()) {
  const reason = whyNotOffline();
  if (reason !== undefined) {
    console.log(`Skipped: ${reason}. With --online it runs in the network as it is.`);
    process.exit(0);
  }
  // There is no npm inside, so each has to be there before.
  for (const client of clients) await couldInstall(client);
  process.exit(againOffline());
}

let failed = 0;
for (const client of clients) {
  const { name, version } = PACKAGES[client];
  if (!(await couldInstall(client))) {
    console.log(`${client}: skipped, since ${name} ${version} cannot be had here.`);
    continue;
  }
  console.log(`${client} ${version}`);
  for (const check of checks) {
    try {
      for await (const { part, problems, skipped } of check.run(client)) {
        const state =
          skipped === undefined ? (problems.length === 0 ? 'ok' : 'FAILED') : `skipped: ${skipped}`;
        console.log(`  ${check.name} ${part}: ${state}`);
        for (const problem of problems) console.log(`    ${problem}`);
        failed += problems.length;
      }
    } catch (error) {
      failed += 1;
      console.log(`  ${check.name}: FAILED\n    ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
}
console.log(failed === 0 ? 'Every check held.' : `${failed} problems: see above.`);
process.exit(failed === 0 ? 0 : 1);

/** Says why not. */
async function couldInstall(client: ClientName): Promise<boolean> {
  try {
    await install(client);
    return true;
  } catch (error) {
    console.log(`${client}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
