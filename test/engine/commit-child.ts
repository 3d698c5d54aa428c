/** Runs a task that writes a file and commits it; a hook kills this process in the middle. */
import { writeFileSync } from 'node:fs';
import { openEngine } from '../../src/engine/engine.ts';
import { COMMITTING } from './committing.ts';

const [project_dir, pid, task_id] = process.argv.slice(2);
writeFileSync(pid!, String(process.pid));
const engine = await openEngine({ project_dir: project_dir!, workspace: true, signals: false });
await engine.run(COMMITTING, undefined, { task_id: task_id! });
