/** Sessions of agents that nobody continues: they end by themselves, and are cleaned up like other ended tasks. */
import { expect, test } from 'vitest';
import { manualClock } from '../support/manual-clock.ts';
import { onEachStore, type Store } from './stores.ts';

const DAY = 24 * 60 * 60 * 1000;

async function withSession(store: Store, rested: boolean) {
  const clock = manualClock(new Date());
  const engine = await store.open({ clock, automatic_cleanup: false, auto_save: false });
  const session = engine.attach({ client: 'claude', session: 's-1' });
  await session.record({ type: 'turn', content: 'go' });
  if (rested) await session.endTurn();
  return { clock, engine, session, task: session.task! };
}

onEachStore((fresh) => {
  test('a session that nobody continues ends, and is then kept as long as others', async () => {
    const { clock, engine, session, task } = await withSession(await fresh(), true);
    const { created_at } = (await engine.state(task))!;
    clock.advance(29 * DAY);
    await engine.clean();
    expect((await engine.state(task))!.status).toBe('in_progress');
    clock.advance(2 * DAY);
    expect((await engine.clean({ dry_run: true })).removed).toEqual([]);
    expect((await engine.state(task))!.status).toBe('in_progress');
    await engine.clean();
    expect(await engine.state(task)).toMatchObject({
      status: 'cancelled',
      data: { cancel_reason: `nobody continued the session since ${created_at.slice(0, 10)}` },
    });
    expect((await engine.checkpoints.listCheckpoints(task)).length).toBeGreaterThan(0);

    clock.advance(8 * DAY);
    expect((await engine.clean()).emptied).toEqual([task]);
    await session.record({ type: 'turn', content: 'again' });
    expect(session.task).not.toBe(task);
    await engine.close();
  });

  test('one that is continued does not, nor one that runs', async () => {
    const { clock, engine, session, task } = await withSession(await fresh(), false);
    clock.advance(40 * DAY);
    await engine.clean();
    expect((await engine.state(task))!.status).toBe('in_progress');
    await session.endTurn();
    clock.advance(20 * DAY);
    await session.record({ type: 'turn', content: 'more' });
    await session.endTurn();
    clock.advance(20 * DAY);
    await engine.clean();
    expect((await engine.state(task))!.status).toBe('in_progress');
    await engine.clean({ policy: { idle_days: 1 } });
    expect((await engine.state(task))!.status).toBe('cancelled');
    await engine.close();
  });

  test('never, where that is set', async () => {
    const { clock, engine, task } = await withSession(await fresh(), true);
    clock.advance(4000 * DAY);
    await engine.clean({ policy: { idle_days: null } });
    expect((await engine.state(task))!.status).toBe('in_progress');
    await engine.close();
  });
});
