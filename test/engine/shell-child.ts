/** Runs a task whose command the test kills this process in. */
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const [dir, task_id, config] = process.argv.slice(2) as [string, string, string];
// The command outlives this process; it ends when the test's folder is removed.
const command = 'echo half > out.txt; while test -e out.txt; do sleep 0.2; done';
const builds = defineTask('builds', ({ shell }) => shell(command), { version: '1' });
const engine = await openEngine({ project_dir: dir, workspace: true, config: JSON.parse(config) });
await (await engine.start(builds, undefined, { task_id })).outcome;
