/** On a shared server a dead process owns its task until its lease has run out. */
import { setTimeout as sleep } from 'node:timers/promises';

export async function whenFree<T>(take: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await take();
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'TASK_OWNED') throw error;
    }
    await sleep(20);
  }
}
