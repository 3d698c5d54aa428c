/** Two tries side by side: how far each came, what it cost, and how their files differ. */
import { useEffect } from 'preact/hooks';
import { duration } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Link } from '../../kit/button.tsx';
import { Counts } from '../../kit/counts.tsx';
import { State } from '../../kit/glyph.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { type Route, taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Comparison, Side } from '../../shapes/files.ts';
import { standingOf } from '../../state/standing.ts';
import { taskRow } from '../../state/tasks.ts';
import { Branches } from './branches.tsx';
import { Differing } from './differing.tsx';

export function Compare({ at }: { readonly at: Extract<Route, { screen: 'compare' }> }) {
  const { a, b } = at;
  const loaded = useLoaded((abort) => call<Comparison>('compare', { a, b }, {}, abort), [a, b]);
  useEffect(() => {
    document.title = say('page.compare');
  }, []);
  return (
    <main class="page compare">
      <header class="screen-head">
        <Link kind="bare" to={taskAddress(a)} label={say('page.back')}>
          ← {taskRow(a)?.name ?? ''}
        </Link>
        <h1>{say('page.compare.title')}</h1>
      </header>
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
            <Differing found={found} />
          </>
        )}
      </Show>
    </main>
  );
}

const numberOf = (checkpoint: string): string => checkpoint.slice(checkpoint.lastIndexOf('-') + 1);

function SideView({ label, side }: { readonly label: string; readonly side: Side }) {
  const row = taskRow(side.task) ?? { status: side.status };
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
        <State of={standingOf(row)} />
        <span>{say('page.compare.steps', { count: side.steps })}</span>
        <span>{duration(side.ms)}</span>
        <span>
          {say('page.files.count', { count: side.files })}{' '}
          <Counts added={side.added} removed={side.removed} />
        </span>
        {side.verified !== null && (
          <span>{say(side.verified ? 'page.compare.verified' : 'page.compare.not_verified')}</span>
        )}
      </p>
    </article>
  );
}
