/**
 * A file that a task and others changed at the same places: three versions of each place over the result, one decision each.
 * 1, 2 and 3 decide about the place in view, n goes to the next that is open.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { ConfirmBar } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { type Route, taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Conflicted } from '../../shapes/files.ts';
import { useKeys } from '../../state/bindings.ts';
import { go } from '../../state/route.ts';
import { mayChange } from '../../state/session.ts';
import { loadTasks, taskRow } from '../../state/tasks.ts';
import { ConflictHunkView } from './conflict-hunk.tsx';
import { type Decisions, openIn, placesIn, resultOf } from './decisions.ts';

const KEYS = { '1': 'ours', '2': 'base', '3': 'theirs' } as const;

export function Conflict({ at }: { readonly at: Extract<Route, { screen: 'conflict' }> }) {
  const { task, question } = at;
  const decisions = useSignal<Decisions>(new Map());
  const current = useSignal(1);
  const list = useRef<HTMLDivElement>(null);
  const loaded = useLoaded(
    (abort) => call<Conflicted>('conflicts show', { task, id: question }, {}, abort),
    [task, question],
  );
  const show = (number: number) => {
    current.value = number;
    list.current?.querySelector<HTMLElement>(`[data-place="${number}"]`)?.focus();
  };
  const next = (found: Conflicted) => {
    const open = openIn(found, decisions.value);
    const later = open.find((number) => number > current.value) ?? open[0];
    if (later !== undefined) show(later);
  };
  const decide = (number: number, decision: string) => {
    decisions.value = new Map([...decisions.value, [number, decision]]);
  };
  const found = loaded.value;
  useKeys(
    found && mayChange()
      ? {
          n: () => next(found),
          ...Object.fromEntries(
            Object.entries(KEYS).map(([key, decision]) => [key, () => decide(current.value, decision)]),
          ),
        }
      : {},
  );
  useEffect(() => {
    document.title = say('page.conflict');
  }, []);
  const resolve = async (conflict: Conflicted) => {
    const hunk = [...decisions.value].map(([number, decision]) => `${number}=${decision}`);
    await call('conflicts resolve', { task, id: question }, { hunk });
    toast(say('page.conflict.resolved', { path: conflict.path }));
    await loadTasks();
    go({ screen: 'task', task, tab: 'steps', row: null });
  };
  return (
    <main class="page conflict">
      <header class="screen-head">
        <Link kind="bare" to={taskAddress(task)} label={say('page.back')}>
          ← {taskRow(task)?.name ?? ''}
        </Link>
        <h1>{say('page.conflict.title')}</h1>
      </header>
      <Show of={loaded} lines={8}>
        {(conflict) => {
          const open = openIn(conflict, decisions.value);
          return (
            <>
              <p>
                <code>
                  <Text of={conflict.path} />
                </code>{' '}
                {say('page.conflict.places', { count: conflict.conflicts })}
              </p>
              {conflict.unmergeable !== null && (
                <p class="notice">
                  <Text of={conflict.unmergeable} />
                </p>
              )}
              <div ref={list} class="places">
                {placesIn(conflict).map((place) => (
                  <ConflictHunkView
                    key={place.hunk.index}
                    place={place}
                    labels={conflict.labels}
                    decision={decisions.value.get(place.hunk.index!) ?? null}
                    onFocus={() => {
                      current.value = place.hunk.index!;
                    }}
                    onDecide={(decision) => decide(place.hunk.index!, decision)}
                  />
                ))}
              </div>
              <section>
                <h2>{say('page.conflict.result')}</h2>
                <pre class="value result">
                  {resultOf(conflict, decisions.value).map((part, index) => (
                    <span key={index} class={part.open ? 'open-place' : part.decided ? 'decided-place' : ''}>
                      <Text of={part.text} />
                    </span>
                  ))}
                </pre>
              </section>
              {mayChange() && (
                <ConfirmBar
                  actions={
                    <Button
                      kind="main"
                      whyNot={open.length > 0 ? say('page.conflict.open', { count: open.length }) : null}
                      onPress={() => attempt(() => resolve(conflict))}
                    >
                      {say('page.conflict.take')}
                    </Button>
                  }
                >
                  {open.length > 0
                    ? say('page.conflict.open', { count: open.length })
                    : say('page.conflict.first_wins')}
                </ConfirmBar>
              )}
            </>
          );
        }}
      </Show>
    </main>
  );
}
