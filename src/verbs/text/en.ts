/** What is said in English. `{name}` is filled in, `{n|file|files}` chosen by number. The other languages have the same keys. */
import { around } from './en/around.ts';
import { caring } from './en/caring.ts';
import { changing } from './en/changing.ts';
import { checkpoints } from './en/checkpoints.ts';
import { demo } from './en/demo.ts';
import { hooks } from './en/hooks.ts';
import { looking } from './en/looking.ts';
import { moved } from './en/moved.ts';
import { page } from './en/page.ts';
import { pageCare } from './en/page-care.ts';
import { pageFiles } from './en/page-files.ts';
import { pageTask } from './en/page-task.ts';
import { pageTasks } from './en/page-tasks.ts';
import { past } from './en/past.ts';
import { program } from './en/program.ts';
import { running } from './en/running.ts';
import { ui } from './en/ui.ts';
import { working } from './en/working.ts';

export const en = {
  ...program,
  ...demo,
  ...looking,
  ...past,
  ...checkpoints,
  ...around,
  ...changing,
  ...caring,
  ...hooks,
  ...running,
  ...moved,
  ...working,
  ...ui,
  ...page,
  ...pageTasks,
  ...pageFiles,
  ...pageCare,
  ...pageTask,
} as const;
