/** All that the lower rooms say, in Chinese: a file per room, which has its sentences by their English. */

import type { Said } from './catalogue.ts';
import { task } from './said/task.ts';

export const SAID: Said = {
  ...task,
};
