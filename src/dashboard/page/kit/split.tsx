/** Both sides of a line next to each other. */
import type { Line, Pair } from '../diff/pairs.ts';
import { Text } from './text.tsx';

export function SplitLine({ pair: [left, right] }: { readonly pair: Pair }) {
  return (
    <div class="split-line">
      <Half line={left} number={left?.before ?? null} />
      <Half line={right} number={right?.after ?? null} />
    </div>
  );
}

function Half({ line, number }: { readonly line: Line | null; readonly number: number | null }) {
  if (line === null) return <div class="split-half nothing" />;
  return (
    <div class={`split-half ${line.kind}`}>
      <span>{number}</span>
      <span class="diff-sign" />
      <span>
        <Text of={line.text} />
      </span>
    </div>
  );
}
