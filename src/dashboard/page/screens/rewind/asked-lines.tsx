/**
 * The places of a file that the task and a person changed: three versions of each over the result, one decision each. Where the
 * task changed it several times, the places of its earlier changes come after those of the last.
 */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import type { PlannedFile } from '../../shapes/files.ts';
import { type Deciding, useDeciding } from '../conflict/deciding.ts';
import { openIn } from '../conflict/decisions.ts';
import { Regions } from '../conflict/regions.tsx';
import type { Words } from './words.ts';

/** In the order of the keys 1, 2 and 3: yours, before, task. */
const KINDS = ['theirs', 'ours', 'base'] as const;
const WORDS: Readonly<Record<string, string>> = { theirs: 'yours', ours: 'before', base: 'task' };

export interface Inside {
  readonly words: Words;
  /** One file of the preview with what is in it, as decided so far. */
  load(path: string, hunk: readonly string[], abort: AbortSignal): Promise<PlannedFile | null>;
}

interface AskedLinesProps extends Inside {
  readonly path: string;
  /** What is decided so far, about places before these. */
  readonly before: readonly string[];
  /** Whose places keys decide about. */
  onFocus(deciding: Deciding): void;
  /** All places are decided; null: not any more. */
  onDecided(hunk: readonly string[] | null, text: string | null): void;
}

export function AskedLines({ path, before, words, load, onFocus, onDecided }: AskedLinesProps) {
  const loaded = useLoaded((abort) => load(path, before, abort), [path, before.join('\n')]);
  const conflict = loaded.value?.conflict ?? null;
  const deciding = useDeciding(conflict, KINDS);
  const { decisions, own } = deciding;
  const isOpen = conflict !== null && openIn(conflict, decisions.value).length > 0;
  const chosen = [...decisions.value].map(([number, one]) => `${path}:${number}=${WORDS[one] ?? one}`);
  const hunk = [...before, ...chosen];
  const isLast = loaded.value !== null && !loaded.stale && conflict === null;
  const text = own.value;
  useEffect(() => {
    if (isLast) onDecided(before, null);
  }, [isLast]);
  useEffect(() => {
    if (text !== null) onDecided(hunk, text);
    else if (!isLast) onDecided(null, null);
  }, [isOpen, text]);
  useEffect(() => {
    if (isOpen) onFocus(deciding);
  }, [isOpen]);
  return (
    <Show of={loaded} lines={3}>
      {() =>
        conflict === null ? null : conflict.unmergeable !== null ? (
          <p class="notice">
            {say(`page.conflict.why.${conflict.unmergeable === 'binary' ? 'binary' : 'too_large'}`)}
          </p>
        ) : (
          <div class="conflict" onFocusCapture={() => onFocus(deciding)}>
            <Regions
              conflict={conflict}
              columns={KINDS.map((kind) => ({
                kind,
                label: say(kind === 'theirs' ? 'page.rewind.lines.theirs' : words[kind]),
              }))}
              deciding={deciding}
              mayDecide
            />
            {!isOpen && text === null && (
              <AskedLines
                {...{ path, words, load, onFocus, onDecided }}
                before={hunk}
                key={hunk.join('\n')}
              />
            )}
          </div>
        )
      }
    </Show>
  );
}
