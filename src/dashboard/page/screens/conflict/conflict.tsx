/**
 * A file that a task and others changed at the same places: three versions of each place over the result, one decision each.
 * 1, 2 and 3 decide about the place in view, n goes to the next that is open. What cannot be merged is decided as a whole.
 */
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmBar } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { type Route, taskAddress } from '../../lib/route.ts';
import { plainOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Conflicted } from '../../shapes/files.ts';
import type { Question } from '../../shapes/types.ts';
import { useKeys } from '../../state/bindings.ts';
import { go } from '../../state/route.ts';
import { mayChange } from '../../state/session.ts';
import { loadTasks, taskRow } from '../../state/tasks.ts';
import { useDeciding } from './deciding.ts';
import { openIn } from './decisions.ts';
import { Regions } from './regions.tsx';

const KINDS = ['ours', 'base', 'theirs'] as const;

interface Asked {
  readonly conflict: Conflicted;
  /** The answers for the file as a whole. */
  readonly answers: readonly string[];
}

export function Conflict({ at }: { readonly at: Extract<Route, { screen: 'conflict' }> }) {
  const { task, question } = at;
  const loaded = useLoaded(
    async (abort): Promise<Asked> => {
      const [conflict, { questions }] = await Promise.all([
        call<Conflicted>('conflicts show', { task, id: question }, {}, abort),
        call<{ questions: readonly Question[] }>('questions', { task }, {}, abort),
      ]);
      const asked = questions.find(({ id }) => id === question);
      return { conflict, answers: asked?.options.map(({ value }) => value) ?? [] };
    },
    [task, question],
  );
  const found = loaded.value?.conflict ?? null;
  const deciding = useDeciding(found, KINDS);
  useKeys(
    found && mayChange()
      ? Object.fromEntries(['n', '1', '2', '3'].map((key) => [key, () => deciding.press(key)]))
      : {},
  );
  useEffect(() => {
    document.title = say('page.conflict');
  }, []);
  const done = async (path: string) => {
    toast(say('page.conflict.resolved', { path: plainOf(path) }));
    await loadTasks();
    go({ screen: 'task', task, tab: 'steps', row: null });
  };
  const resolve = async (conflict: Conflicted) => {
    const { decisions, own } = deciding;
    const hunk = [...decisions.value].map(([number, decision]) => `${number}=${decision}`);
    await call(
      'conflicts resolve',
      { task, id: question },
      own.value === null ? { hunk } : { text: own.value },
    );
    await done(conflict.path);
  };
  const answer = async (path: string, value: string) => {
    await call('questions answer', { task, id: question, value });
    await done(path);
  };
  return (
    <main class="page conflict">
      <ScreenHead
        title={say('page.conflict.title')}
        to={taskAddress(task)}
        from={taskRow(task)?.name ?? task}
      />
      <Show of={loaded} lines={8}>
        {({ conflict, answers }) => {
          const { unmergeable } = conflict;
          const open = deciding.own.value === null ? openIn(conflict, deciding.decisions.value) : [];
          return (
            <>
              <p>
                <code>
                  <Text of={conflict.path} />
                </code>{' '}
                {unmergeable === null && say('page.conflict.places', { count: conflict.conflicts })}
              </p>
              {unmergeable === null ? (
                <Regions
                  conflict={conflict}
                  columns={KINDS.map((kind) => ({ kind, label: say(`page.conflict.kind.${kind}`) }))}
                  deciding={deciding}
                  mayDecide={mayChange()}
                />
              ) : (
                <p class="notice">
                  {say(`page.conflict.why.${unmergeable === 'binary' ? 'binary' : 'too_large'}`)}
                </p>
              )}
              {mayChange() && (
                <Whole answers={answers} onAnswer={(value) => attempt(() => answer(conflict.path, value))} />
              )}
              {mayChange() && unmergeable === null && (
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

const WHOLE = ['ours', 'theirs', 'leave'] as const;

/** The same decision for the whole file, or none of ours. */
function Whole({
  answers,
  onAnswer,
}: {
  readonly answers: readonly string[];
  onAnswer(value: string): unknown;
}) {
  const offered = WHOLE.filter((one) => answers.includes(one));
  if (offered.length === 0) return null;
  return (
    <section class="whole-file">
      <h2>{say('page.conflict.whole')}</h2>
      <div class="actions">
        {offered.map((one) => (
          <Button key={one} onPress={() => onAnswer(one)}>
            {say(`page.conflict.whole.${one}`)}
          </Button>
        ))}
      </div>
      {offered.includes('leave') && <p class="quiet small">{say('page.conflict.whole.leave_text')}</p>}
    </section>
  );
}
