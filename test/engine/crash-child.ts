/** A process that runs a task up to a dangerous operation, says so, and stays in it until it is killed. */
import type { ConfigInput } from '../../src/config/types.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { deploy } from './deploy.ts';

const { dir, config, id } = JSON.parse(process.argv[2]!) as { dir: string; config: ConfigInput; id: string };
const task = deploy(() => {
  process.stdout.write('under way\n');
  setInterval(() => {}, 1000);
  return new Promise(() => {});
});
const engine = await openEngine({ project_dir: dir, config, tasks: [task] });
await engine.start(task, undefined, { task_id: id });
