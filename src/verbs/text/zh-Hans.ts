/** The same in Chinese, as it is written in mainland China and Singapore. */
import type { Catalogue } from './catalogue.ts';
import { around } from './zh-Hans/around.ts';
import { caring } from './zh-Hans/caring.ts';
import { changing } from './zh-Hans/changing.ts';
import { checkpoints } from './zh-Hans/checkpoints.ts';
import { demo } from './zh-Hans/demo.ts';
import { hooks } from './zh-Hans/hooks.ts';
import { looking } from './zh-Hans/looking.ts';
import { moved } from './zh-Hans/moved.ts';
import { page } from './zh-Hans/page.ts';
import { pageCare } from './zh-Hans/page-care.ts';
import { pageFiles } from './zh-Hans/page-files.ts';
import { pageTask } from './zh-Hans/page-task.ts';
import { pageTasks } from './zh-Hans/page-tasks.ts';
import { past } from './zh-Hans/past.ts';
import { program } from './zh-Hans/program.ts';
import { running } from './zh-Hans/running.ts';
import { ui } from './zh-Hans/ui.ts';
import { working } from './zh-Hans/working.ts';

export const zhHans: Catalogue = {
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
};
