/** The process that the demo kills: runs the task and prints a line for each step the store acknowledged. */
import { createStorageFromConfig } from '../storage/factory.ts';
import { runSteps } from './demo-task.ts';

const [project_dir, storage_type, task] = process.argv.slice(2) as [string, string, string];
const storage = await createStorageFromConfig({ persistence: { storage_type } }, { project_dir });
for await (const entry of runSteps(storage, await storage.claim(task))) {
  process.stdout.write(`${JSON.stringify(entry)}\n`);
}
await storage.close();
