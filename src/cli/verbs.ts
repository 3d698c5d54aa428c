/** The verbs of the command line: those that are the same everywhere, and those that need a terminal or a process. */
import type { Registry } from '../verbs/kit/registry.ts';
import { VERBS } from '../verbs/verbs.ts';

export const CLI_VERBS: Registry = new Map([
  ['demo', async () => (await import('./demo/demo.ts')).demo],
  ['run', async () => (await import('./running/run.ts')).run],
  ['exec', async () => (await import('./running/exec.ts')).exec],
  ...VERBS,
  ['ui', async () => (await import('./dashboard/ui.ts')).ui],
  ['hooks install', async () => (await import('./hooks/install.ts')).hooksInstall],
  ['hooks status', async () => (await import('./hooks/status.ts')).hooksStatus],
  ['hooks remove', async () => (await import('./hooks/remove.ts')).hooksRemove],
  ['completion', async () => (await import('./completing/completion.ts')).completion],
]);
