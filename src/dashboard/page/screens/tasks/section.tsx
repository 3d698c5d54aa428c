/** One section of the list. What is done is folded to its newest. */
import { useSignal } from '@preact/signals';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import type { TaskRow } from '../../shapes/types.ts';
import type { Section as Name } from '../../state/display-status.ts';
import { amounts, loadMore } from '../../state/tasks.ts';
import { NeedsCard } from './needs.tsx';
import { Row } from './row.tsx';

/** How many are drawn before one asks for more. */
const FIRST: Readonly<Record<Name, number>> = {
  needs: 20,
  broken: 12,
  running: 20,
  not_running: 12,
  done: 8,
};
const MORE = 50;

export function Section({ section, rows }: { readonly section: Name; readonly rows: readonly TaskRow[] }) {
  const shown = useSignal(FIRST[section]);
  const amount = amounts.value.get(section) ?? rows.length;
  if (amount === 0) return null;
  const id = `section-${section}`;
  return (
    <section class={`section ${section}`} aria-labelledby={id}>
      <h2 id={id} class={section === 'needs' ? 'seen-by-readers' : 'section-name'}>
        {say(`page.section.${section}`)} <span class="quiet">{amount}</span>
      </h2>
      <ul class="section-rows">
        {rows.slice(0, shown.value).map((row) => (
          <li key={row.id}>{section === 'needs' ? <NeedsCard row={row} /> : <Row row={row} />}</li>
        ))}
      </ul>
      {amount > Math.min(shown.value, rows.length) && (
        <Button
          kind="bare"
          onPress={() => {
            shown.value += MORE;
            if (shown.value > rows.length && amount > rows.length) return loadMore(section);
          }}
        >
          {say('page.section.more', { count: amount - Math.min(shown.value, rows.length) })}
        </Button>
      )}
    </section>
  );
}
