/** Checking a store from the command line, and mending it. */
import { beforeEach, expect, test } from 'vitest';
import { doctor } from '../../src/verbs/care/doctor.ts';
import { onEachStore, type Store } from '../engine/stores.ts';
import { tempDirs } from '../support/temp.ts';
import { misfits } from '../verbs/shapes.ts';
import { ask, cli } from './cli.ts';
import { atTerminal, KEY } from './terminal.ts';
import { populate, type Tasks } from './world.ts';

const tempDir = tempDirs();

onEachStore((fresh) => {
  let store: Store;
  let made: Tasks;
  beforeEach(async () => {
    store = await fresh();
    made = await populate(store);
  });

  test('says that everything is whole, and how much that is', async () => {
    const { exit, out } = await cli(store.dir, ['doctor']);
    expect(exit).toBe(0);
    expect(out).toMatch(/^Checked: 6 tasks, \d+ entries, \d+ checkpoints, .*\nNo problems found\.\n$/);
    const data = await ask(store.dir, 'doctor', '--repair');
    expect(misfits(data, doctor.data)).toEqual([]);
    expect(data).toMatchObject({ healthy: true, checked: { tasks: 6 }, problems: [], repaired: [] });
  });

  test('says what is wrong; mends it only when told, and asked', async () => {
    await store.damageEntry(made.paused, 3);
    const { exit, out } = await cli(store.dir, ['doctor']);
    expect(exit).toBe(5);
    expect(out).toMatch(
      /^✗ .*\n[\s\S]*1 problem found\.\nRepair what can be repaired safely with: .* doctor --repair\n$/,
    );
    const found = await cli(store.dir, ['doctor', '--json']);
    expect(found.exit).toBe(5);
    const { data } = JSON.parse(found.out) as { data: unknown };
    expect(misfits(data, doctor.data)).toEqual([]);
    expect(data).toMatchObject({ healthy: false, problems: [{ task: made.paused, repair: 'journal' }] });
    const mute = await cli(store.dir, ['doctor', '--repair']);
    expect([mute.exit, mute.err]).toEqual([3, expect.stringContaining('--yes')]);
    const no = await atTerminal(
      store.dir,
      ['doctor', '--repair'],
      [{ when: /Repair 1 of them\?/, type: `n${KEY.enter}` }],
    );
    expect([no.exit, no.screen]).toEqual([4, expect.stringContaining('Nothing was changed.')]);
    const yes = await cli(store.dir, ['doctor', '--repair', '--yes']);
    expect(yes.out).toMatch(/Repaired: .*\. The damaged data is in \S/);
    const rest = await cli(store.dir, ['doctor', '--repair', '--yes']);
    expect([rest.exit, rest.out]).toEqual([0, expect.stringContaining('No problems found.')]);
  });

  test('what is wrong with the words is said', async () => {
    const typo = await cli(store.dir, ['docotr']);
    expect([typo.exit, typo.err]).toEqual([2, expect.stringContaining('Did you mean "doctor"?')]);
    const flag = await cli(store.dir, ['doctor', '--reapir']);
    expect([flag.exit, flag.err]).toEqual([2, expect.stringContaining('Did you mean "--repair"?')]);
    const nowhere = await cli(tempDir(), ['doctor']);
    expect([nowhere.exit, nowhere.err]).toEqual([1, expect.stringContaining('STORE_UNAVAILABLE')]);
  });
});
