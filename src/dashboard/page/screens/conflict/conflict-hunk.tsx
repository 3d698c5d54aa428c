/** One place of a conflict: its three versions next to each other, and the lines around it. */
import { say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import type { Column, Region } from './decisions.ts';

interface ConflictHunkProps {
  readonly region: Region;
  /** In the order of the keys 1, 2 and 3. */
  readonly columns: readonly Column[];
  readonly decision: string | null;
  onFocus(): void;
  /** Null where nothing can be decided. */
  readonly onDecide: ((decision: string) => void) | null;
}

export function ConflictHunkView({ region, columns, decision, onFocus, onDecide }: ConflictHunkProps) {
  const { hunk, above, below } = region;
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
        {columns.map(({ kind, label }, at) => (
          <button
            key={kind}
            type="button"
            class={`version ${kind}`}
            aria-pressed={decision === kind}
            aria-keyshortcuts={String(at + 1)}
            disabled={onDecide === null}
            onClick={() => onDecide?.(kind)}
          >
            <span class="version-head">
              {label}
              <span class="kbd" aria-hidden="true">
                {at + 1}
              </span>
            </span>
            <span class="version-text">
              {hunk[kind] ? <Text of={hunk[kind]} /> : <i class="quiet">{say('page.conflict.no_lines')}</i>}
            </span>
          </button>
        ))}
      </div>
      {onDecide && (
        <div class="chips">
          <Also kind="both" label={bothOf(columns)} decision={decision} onDecide={onDecide} />
          {hunk.suggestions.length > 0 && (
            <Also
              kind="suggested"
              label={say('page.conflict.suggested')}
              decision={decision}
              onDecide={onDecide}
            />
          )}
        </div>
      )}
      {hunk.suggestions[0] && (
        <pre class="value suggestion">
          <Text of={hunk.suggestions[0].text} />
        </pre>
      )}
      <Around text={below} />
    </section>
  );
}

/** Those of `ours` come first. */
function bothOf(columns: readonly Column[]): string {
  const label = (kind: Column['kind']) => columns.find((one) => one.kind === kind)!.label;
  return say('page.conflict.both', { first: label('ours'), second: label('theirs') });
}

function Also({
  kind,
  label,
  decision,
  onDecide,
}: {
  readonly kind: 'both' | 'suggested';
  readonly label: string;
  readonly decision: string | null;
  onDecide(decision: string): void;
}) {
  return (
    <button type="button" class="chip" aria-pressed={decision === kind} onClick={() => onDecide(kind)}>
      {label}
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
