/** `npm run bench:agents`: what a hook costs an agent, relative to starting Node for nothing. Measures the build. */
import { agentFigures } from './agents/figures.ts';
import { benchMain } from './harness.ts';

await benchMain('agents', agentFigures);
