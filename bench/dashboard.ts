/** `npm run bench:dashboard`: how soon others' work is seen, what watching costs, and how soon many tasks are listed. */
import { dashboardFigures } from './dashboard/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('dashboard', dashboardFigures);
