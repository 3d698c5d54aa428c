/** The chosen row whole: beside the list on wide screens, as a sheet on narrow ones. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { duration, exact } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { narrow } from '../../ground/narrow.ts';
import { Button, Link } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Cross } from '../../kit/icons.tsx';
import { Text } from '../../kit/text.tsx';
import { Value } from '../../kit/value.tsx';
import { addressOf } from '../../lib/route.ts';
import { plainOf, withShortIds } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Entry, Step, TaskRow } from '../../shapes/types.ts';
import { mayCall, mayChange } from '../../state/session.ts';
import { chooseRow, chosenRow } from './choosing.ts';
import { forkFrom } from './fork.tsx';
import { Sign } from './sign.tsx';
import { titleOf } from './step-row.tsx';

export function Detail({ row }: { readonly row: TaskRow }) {
  const step = chosenRow.value;
  if (step === null) return null;
  const close = () => chooseRow(null);
  if (narrow.value)
    return (
      <Dialog sheet title={plainOf(titleOf(step))} onClose={close}>
        <Body row={row} step={step} />
      </Dialog>
    );
  return (
    <aside class="detail" aria-label={say('page.detail')}>
      <header>
        <h2>
          <Sign step={step} /> <Text of={titleOf(step)} />
        </h2>
        <Button kind="bare" label={say('page.close')} onPress={close}>
          <Cross />
        </Button>
      </header>
      <Body row={row} step={step} />
    </aside>
  );
}

function Body({ row, step }: { readonly row: TaskRow; readonly step: Step }) {
  const { why, agent, at, ms, attempt, text, checkpoint, status } = step;
  return (
    <div class="detail-body">
      {why && (
        <div class="why-again">
          <h3>{say('page.why_again')}</h3>
          <p>
            <Text of={why.text} />
          </p>
        </div>
      )}
      <dl class="facts">
        <Fact name={say('page.fact.came')}>{say(`page.was.${status}`)}</Fact>
        <Fact name={say('page.fact.at')}>{exact(at)}</Fact>
        {ms !== null && <Fact name={say('page.fact.took')}>{duration(ms)}</Fact>}
        {attempt > 1 && <Fact name={say('page.fact.attempt')}>{attempt}</Fact>}
        {agent !== null && <Fact name={say('page.fact.agent')}>{plainOf(agent)}</Fact>}
        {step.files !== null && step.files > 0 && <Fact name={say('page.fact.files')}>{step.files}</Fact>}
      </dl>
      <Whole key={step.seq} task={step.task ?? row.id} seq={step.seq} text={text} />
      {mayChange() && checkpoint !== null && (
        <footer>
          <p class="quiet small">{say('page.checkpoint_here', { checkpoint: withShortIds(checkpoint) })}</p>
          <div class="actions">
            <Link hint="r" to={addressOf({ screen: 'rewind', task: row.id, checkpoint })}>
              {say('page.rewind_here')}
            </Link>
            {mayCall('fork') && (
              <Button hint="f" onPress={() => forkFrom(checkpoint)}>
                {say('page.fork_here')}
              </Button>
            )}
          </div>
        </footer>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string | number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The entry of the journal as it is stored, fetched when it is looked at. */
function Whole({
  task,
  seq,
  text,
}: {
  readonly task: string;
  readonly seq: number;
  readonly text: string | null;
}) {
  const entry = useSignal<Entry | null>(null);
  useEffect(() => {
    if (!mayCall('entry')) return;
    const abort = new AbortController();
    call<Entry>('entry', { task, seq: String(seq) }, {}, abort.signal).then(
      (found) => {
        entry.value = found;
      },
      () => {}, // The line it was told in stays.
    );
    return () => abort.abort();
  }, []);
  if (entry.value === null) return text === null ? null : <Value of={text} />;
  return (
    <>
      <Value of={contentOf(entry.value)} />
      {entry.value.truncated && <p class="quiet small">{say('page.truncated')}</p>}
    </>
  );
}

/** Of a message, what was said; of everything else, all but what we note for ourselves. */
function contentOf({ kind, value }: Entry): unknown {
  const { mark: _, ...rest } = value as Readonly<Record<string, unknown>>;
  return kind === 'message' ? rest.content : rest;
}
