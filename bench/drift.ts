/** `npm run bench:drift`: what looking for drift costs beside what a person would type. */
import { driftFigures } from './drift/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('drift', driftFigures);
