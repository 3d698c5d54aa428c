/** What is known of the task beside its story: where it runs, who ran it, what it was given. */

import type { ComponentChildren } from 'preact';
import { ago, exact, moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Glyph } from '../../kit/glyph.tsx';
import { useLoaded } from '../../kit/loaded.tsx';
import { Command, Waits } from '../../kit/notes.tsx';
import { Text } from '../../kit/text.tsx';
import { Value } from '../../kit/value.tsx';
import { taskAddress } from '../../lib/route.ts';
import { lineOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { CheckpointRow } from '../../shapes/files.ts';
import type { Shown, TaskRow } from '../../shapes/types.ts';
import { displayStatus } from '../../state/display-status.ts';
import { shown, thread } from '../../state/task.ts';
import { taskRow } from '../../state/tasks.ts';
import { Fact } from './fact.tsx';

export function About({ row }: { readonly row: TaskRow }) {
  const known = shown.value;
  if (!known) return <Waits />;
  const parent = /^ckpt-(.+)-\d+$/.exec(known.forked_from ?? '')?.[1] ?? known.forked_from;
  const { runs = [], children = [], next, problems } = known;
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
        {parent !== null && (
          <Fact name={say('page.fact.parent')}>
            <a href={taskAddress(parent)}>
              <Text of={taskRow(parent)?.name ?? parent} />
            </a>{' '}
            <a href={`#/compare/${parent}/${row.id}`}>{say('page.compare_both')}</a>
          </Fact>
        )}
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
      {row.client !== null && <Turns task={row.id} />}
      {children.length > 0 && (
        <Part name={say('page.forks')}>
          <ul class="lines">
            {children.map((child) => (
              <li key={child.task}>
                <Glyph of={displayStatus({ ...child, holder: '' })} />
                <a href={taskAddress(child.task)}>
                  <Text of={child.name} />
                </a>
                <code class="id">{child.short}</code>
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

const ENDS = ['completed', 'failed', 'cancelled', 'paused', 'waiting', 'idle', 'killed'] as const;
type RunEnd = (typeof ENDS)[number];
const AFTER: readonly (RunEnd | 'start')[] = ['start', ...ENDS];

function Runs({ runs }: { readonly runs: NonNullable<Shown['runs']> }) {
  return (
    <Part name={say('page.runs')}>
      <ol class="lines">
        {runs.map(({ at, by, after, ended }) => (
          <li key={at}>
            <time class="quiet">{moment(at)}</time>
            <span>
              {[
                AFTER.includes(after as RunEnd) && say(`page.run.after.${after as RunEnd | 'start'}`),
                ENDS.includes(ended as RunEnd) && say(`page.run.ended.${ended as RunEnd}`),
              ]
                .filter((word) => word !== false)
                .join(' → ')}
            </span>
            <span class="quiet">
              <Text of={runnerOf(by)} />
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** Those of an agent's session; a long one has thousands, so the newest are shown. */
function Turns({ task }: { readonly task: string }) {
  const position = thread.value?.position;
  const points = useLoaded(
    async (abort) =>
      (await call<{ checkpoints: readonly CheckpointRow[] }>('checkpoints list', { task }, {}, abort))
        .checkpoints,
    [task, position],
  );
  const turns = (points.value ?? []).filter(({ prompt }) => prompt !== null);
  if (turns.length === 0) return null;
  return (
    <Part name={say('page.turns', { count: turns.length })}>
      <ol class="lines">
        {turns.slice(-MOST_TURNS).map(({ id, created_at, prompt }) => (
          <li key={id}>
            <time class="quiet">{moment(created_at)}</time>
            <a href={`${taskAddress(task)}/rewind/${id}`}>
              <Text of={lineOf(prompt || say('page.turn'))} />
            </a>
          </li>
        ))}
      </ol>
    </Part>
  );
}

const MOST_TURNS = 50;

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
