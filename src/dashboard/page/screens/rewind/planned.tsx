/** What goes and what stays, file by file, and the button that says what it does. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { ConfirmBar } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
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
import { type Part, requestOf } from './request.ts';

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
    const { expect } = seen;
    let done: Preview;
    busy.value = true;
    try {
      done = await call<Preview>(asked.verb, asked.args, {
        ...asked.options,
        ...decided,
        expect,
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
    const redo = () => attempt(() => call('redo', { task }, { yes: true }).then(loadTasks));
    const isRedo = checkpoint === 'redo';
    toast(say(isRedo ? 'page.rewind.redone' : 'page.rewind.done'), {
      ...(isRedo ? {} : { action: { label: say('page.rewind.redo'), run: redo } }),
    });
    await loadTasks();
    go({ screen: 'task', task, tab: 'steps', row: null });
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
          return (
            <>
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
                  {say(checkpoint === 'redo' ? 'page.rewind.redo_keeps' : 'page.rewind.redo_later')}
                </ConfirmBar>
              )}
            </>
          );
        }}
      </Show>
    </>
  );
}

/** The button says it: "Rewind, undo 3 files". */
function does(checkpoint: string, foreseen: Foreseen, chosen: Chosen): string {
  const count = changedFiles(foreseen, chosen);
  if (checkpoint === 'redo') return say('page.rewind.does_redo', { count });
  if (checkpoint === 'undo') return say('page.rewind.does_undo', { count });
  return count === 0 ? say('page.rewind.does_state') : say('page.rewind.does', { count });
}

function whyNot(foreseen: Foreseen, chosen: Chosen, stale: boolean): string | null {
  if (stale) return say('page.rewind.looking');
  return isDecided(foreseen, chosen) ? null : say('page.rewind.decide_first');
}
