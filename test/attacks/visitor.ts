/** Another process looks at a store, tries to claim its task, and closes everything properly, or simply ends. */
import { join } from 'node:path';
import { openJsonStorage } from '../../src/storage/json/open.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';

const [type, root, how] = process.argv.slice(2) as [string, string, string];
const storage =
  type === 'json'
    ? await openJsonStorage({ root: join(root, 'store') })
    : await openSqliteStorage({ path: join(root, 'store', 'data.db') });
const owned = (await storage.owner('t')) !== null;
const { seq } = await storage.position('t');
const claimed = await storage.claim('t').then(
  async (claim) => {
    await claim.release();
    return true;
  },
  () => false,
);
if (how === 'close') await storage.close();
process.send!({ owned, seq, claimed });
if (how === 'close') process.disconnect();
else process.exit(0);
