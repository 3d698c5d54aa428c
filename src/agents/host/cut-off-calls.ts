/** A model that was not told of a cut-off call may make it again: the first time it is stopped, and told. */
import { isDeepStrictEqual } from 'node:util';
import type { UnfinishedCall } from '../../engine/api/agent-events.ts';
import { newsText } from './telling.ts';

interface CutOffCalls {
  remember(calls: readonly UnfinishedCall[]): void;
  /** Why it is refused this once; null where it is not one of them. */
  isRepeated(tool: string, input: unknown): string | null;
}

export function createCutOffCalls(): CutOffCalls {
  let left: readonly UnfinishedCall[] = [];
  return {
    remember(calls) {
      left = [...left, ...calls];
    },
    isRepeated(tool, input) {
      const same = left.find((one) => one.name === tool && isDeepStrictEqual(one.input, input));
      if (!same) return null;
      left = left.filter((one) => one !== same);
      return newsText({ cut_off: [same], changed: [], held: [] }) ?? null;
    },
  };
}
