/** Opens the store and the workspace and takes a snapshot; prints how many milliseconds that took. */
import { openOn, timeOf } from './site.ts';

const root = process.argv[2]!;
let close: () => Promise<void>;
const milliseconds = await timeOf(async () => {
  const opened = await openOn(root);
  close = opened.close;
  await opened.workspace.snapshot();
});
await close!();
console.log(milliseconds);
