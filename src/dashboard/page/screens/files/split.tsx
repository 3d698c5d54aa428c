/** Both sides of a change next to each other. */
import { say } from '../../ground/language.ts';
import { By } from '../../kit/hunks.tsx';
import { Text } from '../../kit/text.tsx';
import type { Hunk } from '../../shapes/types.ts';
import { type Line, pairsOf } from './pairs.ts';

export function SplitHunks({ hunks }: { readonly hunks: readonly Hunk[] }) {
  return (
    <>
      {hunks.map((hunk) => (
        <section
          key={`${hunk.before.start}-${hunk.after.start}`}
          class="diff split"
          tabIndex={-1}
          aria-label={say('page.hunk', { line: hunk.after.start })}
        >
          <div class="diff-head">
            <span>
              @@ {hunk.before.start} → {hunk.after.start} @@
            </span>
            {hunk.by && <By who={hunk.by} />}
          </div>
          {pairsOf(hunk).map(([left, right], at) => (
            <div key={at} class="split-line">
              <Half line={left} number={left?.before ?? null} sign="−" />
              <Half line={right} number={right?.after ?? null} sign="+" />
            </div>
          ))}
        </section>
      ))}
    </>
  );
}

function Half({
  line,
  number,
  sign,
}: {
  readonly line: Line | null;
  readonly number: number | null;
  readonly sign: string;
}) {
  if (line === null) return <div class="split-half nothing" />;
  return (
    <div class={`split-half ${line.kind}`}>
      <span>{number}</span>
      <span>{line.kind === 'same' ? '' : sign}</span>
      <span>
        <Text of={line.text} />
      </span>
    </div>
  );
}
