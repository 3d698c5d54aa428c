/** The verbs of the command line: those that are the same everywhere, and those that need a terminal or a process. */
import type { Registry } from '../verbs/kit/registry.ts';
import { VERBS } from '../verbs/verbs.ts';

export const CLI_VERBS: Registry = new Map([
  ['demo', async () => (await import('./demo/demo.ts')).demo],
  ['run', async () => (await import('./running/run.ts')).run],
  ['exec', async () => (await import('./running/exec.ts')).exec],
  ...VERBS,
  ['ui', async () => (await import('./dashboard/ui.ts')).ui],
  ['keys init', async () => (await import('./keys/init.ts')).keysInit],
  ['keys status', async () => (await import('./keys/status.ts')).keysStatus],
  ['keys rotate', async () => (await import('./keys/rotate.ts')).keysRotate],
  ['keys encrypt', async () => (await import('./keys/encrypt.ts')).keysEncrypt],
  ['keys decrypt', async () => (await import('./keys/decrypt.ts')).keysDecrypt],
  ['hooks install', async () => (await import('./hooks/install.ts')).hooksInstall],
  ['hooks status', async () => (await import('./hooks/status.ts')).hooksStatus],
  ['hooks remove', async () => (await import('./hooks/remove.ts')).hooksRemove],
  ['completion', async () => (await import('./completing/completion.ts')).completion],
]);
