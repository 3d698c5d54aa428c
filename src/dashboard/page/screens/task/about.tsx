/** What is known of the task beside its story: where it runs, who ran it, what it was given. */
import type { ComponentChildren } from 'preact';
import { ago, exact, moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Glyph } from '../../kit/glyph.tsx';
import { Command, Waits } from '../../kit/notes.tsx';
import { Text } from '../../kit/text.tsx';
import { Value, valueText } from '../../kit/value.tsx';
import { taskAddress } from '../../lib/route.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import { standingOf } from '../../state/standing.ts';
import { shown } from '../../state/task.ts';

export function About({ row }: { readonly row: TaskRow }) {
  const known = shown.value;
  if (!known) return <Waits />;
  const { runs = [], children = [], turns, next, problems } = known;
  return (
    <div class="about">
      <dl class="facts">
        <Fact name={say('page.fact.id')}>
          <code>{row.id}</code>
        </Fact>
        <Fact name={say('page.fact.begun')}>
          {exact(row.created_at)} ({ago(row.created_at)})
        </Fact>
        <Fact name={say('page.fact.changed')}>
          {exact(row.updated_at)} ({ago(row.updated_at)})
        </Fact>
        <Fact name={say('page.fact.directory')}>
          <Text of={known.working_dir} />
        </Fact>
        {row.holder && (
          <Fact name={say('page.fact.holder')}>
            <Text of={row.holder} />
          </Fact>
        )}
        {row.client && (
          <Fact name={say('page.fact.client')}>
            <Text of={say('page.session_is', { client: row.client, session: row.session ?? '' })} />
          </Fact>
        )}
      </dl>
      {problems.map((problem) => (
        <p key={problem} class="note bad">
          <Text of={problem} />
        </p>
      ))}
      {runs.length > 0 && <Runs runs={runs} />}
      {turns.length > 0 && (
        <Part name={say('page.turns', { count: turns.length })}>
          <ol class="lines">
            {turns.map(({ checkpoint, at, prompt }) => (
              <li key={checkpoint}>
                <time class="quiet">{moment(at)}</time>{' '}
                <a href={`${taskAddress(row.id)}/rewind/${checkpoint}`}>
                  <Text of={prompt || say('page.turn')} />
                </a>
              </li>
            ))}
          </ol>
        </Part>
      )}
      {children.length > 0 && (
        <Part name={say('page.forks')}>
          <ul class="lines">
            {children.map((child) => (
              <li key={child.task}>
                <Glyph of={standingOf({ ...child, holder: '' })} />{' '}
                <a href={taskAddress(child.task)}>
                  <Text of={child.name} />
                </a>{' '}
                <code class="id">{child.short}</code>{' '}
                <a href={`#/compare/${row.id}/${child.task}`}>{say('page.compare_both')}</a>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {known.input !== null && known.input !== undefined && (
        <Part name={say('page.input')}>
          <Value of={known.input} />
        </Part>
      )}
      {next.length > 0 && (
        <Part name={say('page.at_terminal')}>
          <ul class="lines">
            {next.slice(0, 3).map((line) => (
              <li key={line}>
                <Command line={line} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  );
}

function Runs({ runs }: { readonly runs: NonNullable<Shown['runs']> }) {
  return (
    <Part name={say('page.runs')}>
      <ol class="lines">
        {runs.map(({ at, by, after, ended }) => (
          <li key={at}>
            <time class="quiet">{moment(at)}</time> <Text of={runnerOf(by)} />{' '}
            <span class="quiet">
              {[after, ended]
                .filter((word) => word !== null)
                .map((word) => valueText(word))
                .join(' → ')}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

function runnerOf(by: unknown): string {
  if (typeof by === 'string') return by;
  const { host, pid } = (by ?? {}) as { host?: string; pid?: number };
  return host === undefined ? say('page.run') : `${host} (${pid})`;
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
