/** Two tries side by side: how far each came, what it cost, and how their files differ. */
import { useEffect } from 'preact/hooks';
import { duration } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Counts } from '../../kit/counts.tsx';
import { State } from '../../kit/glyph.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Text } from '../../kit/text.tsx';
import { type Route, taskAddress } from '../../lib/route.ts';
import { lineOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Comparison, Side } from '../../shapes/files.ts';
import { displayStatus } from '../../state/display-status.ts';
import { taskRow } from '../../state/tasks.ts';
import { Branches } from './branches.tsx';
import { Differing } from './differing.tsx';
import { GoOn } from './go-on.tsx';
import { verdictOf } from './verdict.ts';

export function Compare({ at }: { readonly at: Extract<Route, { screen: 'compare' }> }) {
  const { a, b } = at;
  const loaded = useLoaded(
    (abort) => call<Comparison>('compare', { a, b }, {}, abort),
    [a, b, taskRow(a)?.status, taskRow(b)?.status],
  );
  useEffect(() => {
    document.title = say('page.compare');
  }, []);
  return (
    <main class="page compare">
      <ScreenHead title={say('page.compare.title')} to={taskAddress(a)} from={taskRow(a)?.name ?? a} />
      <Show of={loaded}>
        {(found) => (
          <>
            <section class="sides">
              <Branches />
              <SideView label="A" side={found.a} />
              <SideView label="B" side={found.b} />
            </section>
            {found.ancestor?.checkpoint && (
              <p class="quiet">
                {say('page.compare.from', { checkpoint: numberOf(found.ancestor.checkpoint) })}
              </p>
            )}
            <GoOn found={found} />
            <Differing found={found} />
          </>
        )}
      </Show>
    </main>
  );
}

const numberOf = (checkpoint: string): string => checkpoint.slice(checkpoint.lastIndexOf('-') + 1);

function SideView({ label, side }: { readonly label: string; readonly side: Side }) {
  const row = taskRow(side.task) ?? side;
  return (
    <article class="side" aria-label={label}>
      <h2>
        <span class="side-letter" aria-hidden="true">
          {label}
        </span>
        <a href={taskAddress(side.task)}>
          <Text of={side.name} />
        </a>
      </h2>
      <p class="side-facts">
        <State of={displayStatus(row)} />
        <span>{say('page.compare.steps', { count: side.steps })}</span>
        <span>{duration(side.ms)}</span>
        <span>
          {say('page.files.count', { count: side.files })}{' '}
          <Counts added={side.added} removed={side.removed} />
        </span>
        <Checked verified={side.verified} />
      </p>
      {side.in_doubt.length > 0 && (
        <p class="quiet">{say('page.compare.in_doubt', { count: side.in_doubt.length })}</p>
      )}
    </article>
  );
}

function Checked({ verified }: Pick<Side, 'verified'>) {
  const verdict = verdictOf(verified);
  if (verdict === null) return null;
  switch (verdict.kind) {
    case 'passed':
      return <span>{say('page.compare.verified')}</span>;
    case 'failed':
      return <span>{say('page.compare.not_verified')}</span>;
    case 'some':
      return <span>{say('page.compare.checks', verdict)}</span>;
    case 'told':
      return (
        <span>
          <Text of={say('page.compare.told', { text: lineOf(verdict.text, 120) })} />
        </span>
      );
  }
}
