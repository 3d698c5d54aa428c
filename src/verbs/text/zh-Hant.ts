/** The same in Chinese, as it is written in Taiwan, Hong Kong and Macau. */
import type { Catalogue } from './catalogue.ts';
import { around } from './zh-Hant/around.ts';
import { caring } from './zh-Hant/caring.ts';
import { changing } from './zh-Hant/changing.ts';
import { checkpoints } from './zh-Hant/checkpoints.ts';
import { demo } from './zh-Hant/demo.ts';
import { hooks } from './zh-Hant/hooks.ts';
import { looking } from './zh-Hant/looking.ts';
import { moved } from './zh-Hant/moved.ts';
import { page } from './zh-Hant/page.ts';
import { pageCare } from './zh-Hant/page-care.ts';
import { pageFiles } from './zh-Hant/page-files.ts';
import { pageTask } from './zh-Hant/page-task.ts';
import { pageTasks } from './zh-Hant/page-tasks.ts';
import { past } from './zh-Hant/past.ts';
import { program } from './zh-Hant/program.ts';
import { running } from './zh-Hant/running.ts';
import { ui } from './zh-Hant/ui.ts';
import { working } from './zh-Hant/working.ts';

export const zhHant: Catalogue = {
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
