/** `npm run bench:engine`: what a durable task costs in bytes, time and memory, and how soon it resumes. */
import { engineFigures } from './engine/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('engine', engineFigures);
