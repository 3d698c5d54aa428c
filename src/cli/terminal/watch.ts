/** Shows an answer again whenever it changes, until stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../../verbs/kit/exit.ts';
import type { Answer } from '../../verbs/kit/verb.ts';
import type { CliIo } from '../common/io.ts';

const EVERY_MS = 1000;

/** On a terminal in place of what was there; elsewhere one after another. */
export async function watching(
  once: () => Promise<Answer>,
  show: (answer: Answer) => string,
  { out, screen, signal }: Pick<CliIo, 'out' | 'screen'> & { readonly signal: AbortSignal },
): Promise<number> {
  let shown: string | null = null;
  while (!signal.aborted) {
    const text = show(await once());
    if (text !== shown)
      out(screen ? HOME + text.replaceAll('\n', `${REST_OF_LINE}\n`) + REST_OF_SCREEN : text);
    shown = text;
    // It only ends early when it is aborted.
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return EXIT.ok;
}

const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';
