/** Claims a name and holds it until it is killed. */
import { openLocks } from '../../src/system/locks/locks.ts';

const [dir, name] = process.argv.slice(2);
const locks = await openLocks(dir!);
await locks.claim(name!, 0);
process.send?.('held');
setInterval(() => locks.owner(name!), 1000);
