/** The verbs there are, wherever they are asked for. */
import type { Registry } from './kit/registry.ts';

export const VERBS: Registry = new Map([
  ['tasks', async () => (await import('./tasks.ts')).tasks],
  ['show', async () => (await import('./show.ts')).show],
  ['checkpoints list', async () => (await import('./checkpoints-list.ts')).checkpointsList],
  ['checkpoints inspect', async () => (await import('./checkpoints-inspect.ts')).checkpointsInspect],
  ['checkpoints diff', async () => (await import('./checkpoints-diff.ts')).checkpointsDiff],
  ['files', async () => (await import('./files.ts')).files],
  ['history', async () => (await import('./history.ts')).history],
  ['conversations', async () => (await import('./conversations.ts')).conversations],
  ['locks', async () => (await import('./locks.ts')).locks],
  ['drift', async () => (await import('./drift.ts')).drift],
  ['pause', async () => (await import('./pause.ts')).pause],
  ['cancel', async () => (await import('./cancel.ts')).cancel],
  ['answer', async () => (await import('./answer.ts')).answer],
  ['rollback', async () => (await import('./rollback.ts')).rollback],
  ['rewind', async () => (await import('./rollback.ts')).rollback],
  ['checkpoints rollback', async () => (await import('./rollback.ts')).rollback],
  ['redo', async () => (await import('./redo.ts')).redo],
  ['fork', async () => (await import('./fork.ts')).fork],
  ['clean', async () => (await import('./clean.ts')).clean],
  ['checkpoints clean', async () => (await import('./clean.ts')).clean],
  ['config', async () => (await import('./config.ts')).config],
  ['config get', async () => (await import('./config-get.ts')).configGet],
  ['config set', async () => (await import('./config-set.ts')).configSet],
  ['config explain', async () => (await import('./config-explain.ts')).configExplain],
]);
