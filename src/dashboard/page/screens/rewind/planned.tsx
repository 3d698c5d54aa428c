/** What goes and what stays, file by file, and the button that says what it does. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { ConfirmBar } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { taskAddress } from '../../lib/route.ts';
import { plainOf } from '../../lib/shown.ts';
import { ApiError, call } from '../../net/api.ts';
import type { Preview } from '../../shapes/files.ts';
import { type Bindings, useKeys } from '../../state/bindings.ts';
import { journalEnd } from '../../state/live.ts';
import { go } from '../../state/route.ts';
import { mayChange } from '../../state/session.ts';
import { loadTasks } from '../../state/tasks.ts';
import type { Deciding } from '../conflict/deciding.ts';
import type { Inside } from './asked-lines.tsx';
import { Foreseeable } from './foreseeable.tsx';
import {
  type Chosen,
  changedFiles,
  decisions,
  type Foreseen,
  foresee,
  isDecided,
  type Lines,
} from './foreseen.ts';
import { type Part, requestOf, takenFrom } from './request.ts';
import { wordsFor } from './words.ts';

interface PlannedProps {
  readonly task: string;
  readonly checkpoint: string;
  readonly part: Part;
  /** Of the screen around it. */
  readonly keys: Bindings;
}

export function Planned({ task, checkpoint, part, keys }: PlannedProps) {
  const chosen = useSignal<Chosen>(new Map());
  const lines = useSignal<Lines>(new Map());
  const focused = useRef<Deciding | null>(null);
  const moved = useSignal(false);
  // What the rewind itself changes is no reason to look again.
  const busy = useSignal(false);
  const position = journalEnd.value?.task === task ? journalEnd.value.position : 0;
  const seen = useRef(position);
  if (!busy.value) seen.current = position;
  const grown = seen.current;
  const asked = requestOf(task, checkpoint, part);
  const preview = useLoaded(
    (abort) => {
      const { 'expect-file': _, ...decided } = decisions(chosen.value, lines.value, null);
      const how = { ...asked.options, ...decided, 'dry-run': true, summary: true };
      return call<Preview>(asked.verb, asked.args, how, abort);
    },
    [task, checkpoint, part, chosen.value, lines.value, grown],
  );
  const inside: Inside = {
    words: wordsFor(asked.verb),
    async load(path, hunk, abort) {
      const { file } = decisions(chosen.value, new Map(), null);
      const how = { ...asked.options, file, hunk: [...hunk], path: [path], 'dry-run': true };
      const { plan } = await call<Preview>(asked.verb, asked.args, how, abort);
      return plan?.find((one) => one.path === path) ?? null;
    },
  };
  const deciding = mayChange() ? ['n', '1', '2', '3'] : [];
  useKeys({
    ...keys,
    ...Object.fromEntries(deciding.map((key) => [key, () => focused.current?.press(key)])),
  });

  const rewind = async (seen: Preview) => {
    const decided = decisions(chosen.value, lines.value, seen.plan);
    const { expect, expect_from } = seen;
    let done: Preview;
    busy.value = true;
    try {
      done = await call<Preview>(asked.verb, asked.args, {
        ...asked.options,
        ...decided,
        expect,
        ...(expect_from === undefined ? {} : { 'expect-from': expect_from }),
        yes: true,
      });
    } catch (error) {
      busy.value = false;
      if (!(error instanceof ApiError && error.code === 'STALE_WRITE')) throw error;
      moved.value = true;
      chosen.value = new Map(); // Decided about another preview.
      lines.value = new Map();
      await preview.again();
      return;
    }
    const problem = done.conversation?.problem;
    if (problem)
      toast(
        `${say('page.rewind.conversation_stays', { problem: plainOf(problem.message) })} ${plainOf(problem.hint)}`,
        { bad: true },
      );
    tell(done);
    await loadTasks();
    go({ screen: 'task', task, tab: 'steps', row: null });
  };

  /** With what takes it back. */
  const tell = ({ checkpoint: before = null, done }: Preview) => {
    const later = (verb: string, args: object, options: object) => () =>
      attempt(() => call(verb, { ...args }, { ...options, yes: true }).then(loadTasks));
    if (asked.verb === 'redo') return toast(say('page.rewind.redone'));
    if (asked.verb !== 'take')
      return toast(say('page.rewind.done'), {
        action: { label: say('page.rewind.redo'), run: later('redo', { task }, {}) },
      });
    const back = before && later('rollback', { checkpoint: before }, { only: 'files' });
    return toast(say(done ? 'page.take.done' : 'page.take.left'), {
      ...(back ? { action: { label: say('page.take.back'), run: back } } : {}),
    });
  };

  return (
    <>
      {moved.value && (
        <p class="notice" role="alert">
          {say('page.rewind.moved')}
        </p>
      )}
      <Show of={preview} lines={8}>
        {(seen) => {
          const foreseen = foresee(seen, chosen.value);
          const aside = [...(seen.in_doubt ?? []), ...(seen.lost ?? [])];
          return (
            <>
              {aside.length > 0 && (
                <p class="notice">
                  {say('page.take.aside')}{' '}
                  <code>
                    <Text of={aside.join(', ')} />
                  </code>
                </p>
              )}
              <Foreseeable
                preview={seen}
                foreseen={foreseen}
                chosen={chosen.value}
                inside={inside}
                onFocus={(deciding) => {
                  focused.current = deciding;
                }}
                onDecided={(path, hunk, text) => {
                  const others = [...lines.value].filter(([other]) => other !== path);
                  if (hunk === null && others.length === lines.value.size) return;
                  lines.value = new Map(hunk === null ? others : [...others, [path, { hunk, text }]]);
                }}
                onChoose={(path, choice) => {
                  chosen.value = new Map([...chosen.value, [path, choice]]);
                }}
              />
              {mayChange() && (
                <ConfirmBar
                  actions={
                    <>
                      <Link to={taskAddress(task)}>{say('page.cancel')}</Link>
                      <Button
                        kind="main"
                        whyNot={whyNot(foreseen, chosen.value, preview.stale)}
                        onPress={() => attempt(() => rewind(seen))}
                      >
                        {does(checkpoint, foreseen, chosen.value)}
                      </Button>
                    </>
                  }
                >
                  {say(LATER[asked.verb] ?? 'page.rewind.redo_later')}
                </ConfirmBar>
              )}
            </>
          );
        }}
      </Show>
    </>
  );
}

/** What becomes of it afterwards. */
const LATER: Partial<Record<string, 'page.rewind.redo_keeps' | 'page.take.later'>> = {
  redo: 'page.rewind.redo_keeps',
  take: 'page.take.later',
};

/** The button says it: "Rewind, undo 3 files". */
function does(checkpoint: string, foreseen: Foreseen, chosen: Chosen): string {
  const count = changedFiles(foreseen, chosen);
  if (checkpoint === 'redo') return say('page.rewind.does_redo', { count });
  if (checkpoint === 'undo') return say('page.rewind.does_undo', { count });
  if (takenFrom(checkpoint) !== null) return say('page.take.does', { count });
  return count === 0 ? say('page.rewind.does_state') : say('page.rewind.does', { count });
}

function whyNot(foreseen: Foreseen, chosen: Chosen, stale: boolean): string | null {
  if (stale) return say('page.rewind.looking');
  return isDecided(foreseen, chosen) ? null : say('page.rewind.decide_first');
}
