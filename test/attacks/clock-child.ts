/** A store used and cleaned by a process whose clock is so many days ahead; answers what clean-up did, as JSON. */
const [dir, days] = process.argv.slice(2) as [string, string];
const ahead = Number(days) * 86_400_000;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number]) {
    if (given.length === 0) super(RealDate.now() + ahead);
    else super(...given);
  }
  static override now(): number {
    return RealDate.now() + ahead;
  }
} as DateConstructor;

const { openEngine } = await import('../../src/engine/engine.ts');
const { defineTask } = await import('../../src/engine/api/definition.ts');
const engine = await openEngine({ project_dir: dir, workspace: true });
const task = defineTask('short', async (task) => task.step('one', () => 1));
await (await engine.start(task, undefined)).outcome;
const { removed, skipped } = await engine.clean();
await engine.close();
process.stdout.write(JSON.stringify({ removed: removed.length, skipped }));

export {};
