/** The verbs there are, wherever they are asked for. */
import type { Registry } from './kit/registry.ts';

export const VERBS: Registry = new Map([
  ['tasks', async () => (await import('./tasks.ts')).tasks],
  ['show', async () => (await import('./show.ts')).show],
  ['checkpoints list', async () => (await import('./checkpoints-list.ts')).checkpointsList],
  ['checkpoints inspect', async () => (await import('./checkpoints-inspect.ts')).checkpointsInspect],
]);
