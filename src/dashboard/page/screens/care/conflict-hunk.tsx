/** One place of a conflict: the task's lines, the lines before, the others' lines, and what is to be there. */
import { say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import type { Conflicted } from '../../shapes/files.ts';
import type { Place } from './decisions.ts';

interface ConflictHunkProps {
  readonly place: Place;
  readonly labels: Conflicted['labels'];
  readonly decision: string | null;
  onFocus(): void;
  onDecide(decision: string): void;
}

export function ConflictHunkView({ place, labels, decision, onFocus, onDecide }: ConflictHunkProps) {
  const { hunk, above, below } = place;
  const versions = [
    ['ours', '1', hunk.ours],
    ['base', '2', hunk.base],
    ['theirs', '3', hunk.theirs],
  ] as const;
  return (
    <section
      class={`place ${decision === null ? 'open' : ''}`}
      tabIndex={-1}
      data-place={hunk.index}
      aria-label={say('page.conflict.place', { number: hunk.index! })}
      onFocusCapture={onFocus}
    >
      <h2>{say('page.conflict.place', { number: hunk.index! })}</h2>
      <Around text={above} />
      <div class="versions">
        {versions.map(([kind, key, text]) => (
          <button
            key={kind}
            type="button"
            class={`version ${kind}`}
            aria-pressed={decision === kind}
            aria-keyshortcuts={key}
            onClick={() => onDecide(kind)}
          >
            <span class="version-head">
              {labels[kind]}
              <span class="kbd" aria-hidden="true">
                {key}
              </span>
            </span>
            <span class="version-text">
              {text ? <Text of={text} /> : <i class="quiet">{say('page.conflict.no_lines')}</i>}
            </span>
          </button>
        ))}
      </div>
      <div class="chips">
        <Also kind="both" decision={decision} onDecide={onDecide} />
        {hunk.suggestions.length > 0 && <Also kind="suggested" decision={decision} onDecide={onDecide} />}
      </div>
      {hunk.suggestions[0] && (
        <pre class="value suggestion">
          <Text of={hunk.suggestions[0].text} />
        </pre>
      )}
      <Around text={below} />
    </section>
  );
}

function Also({
  kind,
  decision,
  onDecide,
}: {
  readonly kind: 'both' | 'suggested';
  readonly decision: string | null;
  onDecide(decision: string): void;
}) {
  return (
    <button type="button" class="chip" aria-pressed={decision === kind} onClick={() => onDecide(kind)}>
      {say(`page.conflict.${kind}`)}
    </button>
  );
}

function Around({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <pre class="around">
      <Text of={text} />
    </pre>
  );
}
