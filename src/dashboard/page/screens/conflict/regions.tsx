/** The places of a conflict over the result: one decision each, or the result written by hand. */
import { useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Scrolls } from '../../kit/scrolls.tsx';
import { Text } from '../../kit/text.tsx';
import { ConflictHunkView } from './conflict-hunk.tsx';
import type { Deciding } from './deciding.ts';
import { type Column, type Decided, isMasked, regionsIn, resultOf, textIn } from './decisions.ts';

interface RegionsProps {
  readonly conflict: Decided;
  readonly columns: readonly Column[];
  readonly deciding: Deciding;
  readonly mayDecide: boolean;
}

export function Regions({ conflict, columns, deciding, mayDecide }: RegionsProps) {
  const { decisions, own, list } = deciding;
  const result = useId();
  const parts = resultOf(conflict, decisions.value);
  const isOpen = parts.some(({ open }) => open);
  return (
    <>
      {own.value === null && (
        <div ref={list} class="places">
          {regionsIn(conflict).map((place) => (
            <ConflictHunkView
              key={place.hunk.index}
              region={place}
              columns={columns}
              decision={decisions.value.get(place.hunk.index!) ?? null}
              onFocus={() => deciding.at(place.hunk.index!)}
              onDecide={mayDecide ? (decision) => deciding.decide(place.hunk.index!, decision) : null}
            />
          ))}
        </div>
      )}
      <section class="conflict-result">
        <div class="result-head">
          <h2 id={result}>{say('page.conflict.result')}</h2>
          {mayDecide && (
            <Button
              kind="bare"
              whyNot={own.value === null ? whyNotWritten(conflict, isOpen) : null}
              onPress={() => deciding.write(own.value === null ? textIn(parts) : null)}
            >
              {say(own.value === null ? 'page.conflict.edit' : 'page.conflict.edit_not')}
            </Button>
          )}
        </div>
        {own.value === null ? (
          <Scrolls class="value result" label={say('page.conflict.result')}>
            <pre>
              {parts.map((part, index) => (
                <span key={index} class={part.open ? 'open-place' : part.decided ? 'decided-place' : ''}>
                  {part.open ? say('page.conflict.place', { number: part.index! }) : <Text of={part.text} />}
                </span>
              ))}
            </pre>
          </Scrolls>
        ) : (
          <textarea
            class="field mono own-text"
            aria-labelledby={result}
            spellcheck={false}
            rows={Math.min(30, own.value.split('\n').length + 1)}
            value={own.value}
            onKeyDown={(event) => event.stopPropagation()}
            onInput={({ currentTarget }) => deciding.write(currentTarget.value)}
          />
        )}
      </section>
    </>
  );
}

/** What is not shown whole cannot be written whole. */
function whyNotWritten(conflict: Decided, isOpen: boolean): string | null {
  if (conflict.cut) return say('page.files.too_large');
  if (isMasked(conflict)) return say('page.conflict.masked');
  return isOpen ? say('page.conflict.edit_later') : null;
}
