/** `npm run bench:dashboard`: what the page weighs, how soon it is there, how soon others' work is seen on it, and very long tasks, lists and differences. */
import { dashboardFigures } from './dashboard/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('dashboard', dashboardFigures);
