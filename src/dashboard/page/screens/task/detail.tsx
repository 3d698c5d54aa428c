/** The chosen row whole: beside the list on wide screens, as a sheet on narrow ones. */

import { resume } from '../../asking/resume.tsx';
import { duration, exact } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { narrow } from '../../ground/narrow.ts';
import { Button, Link } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Cross } from '../../kit/icons.tsx';
import { Text } from '../../kit/text.tsx';
import { addressOf } from '../../lib/route.ts';
import { plainOf, withShortIds } from '../../lib/shown.ts';
import type { Step, TaskRow } from '../../shapes/types.ts';
import { mayCall } from '../../state/session.ts';
import { chooseRow, chosenRow } from './choosing.ts';
import { Fact } from './fact.tsx';
import { forkFrom } from './fork.tsx';
import { rewindTo, whyNot } from './refused.ts';
import { Sign } from './sign.tsx';
import { titleOf } from './step-row.tsx';
import { Whole } from './whole.tsx';

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
  const { why, agent, at, ms, attempt, text, status } = step;
  return (
    <div class="detail-body">
      {why && (
        <div class={`why-again ${why.kind}`}>
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
        {agent !== null && <Fact name={say('page.fact.agent')}>{plainOf(agent.replace(/^\//, ''))}</Fact>}
      </dl>
      <Whole key={`${step.task}${step.seq}`} task={step.task ?? row.id} seq={step.seq} text={text} />
      <Points row={row} step={step} />
    </div>
  );
}

/** What can be done from here. What is refused now says why. */
function Points({ row, step }: { readonly row: TaskRow; readonly step: Step }) {
  const { checkpoint, dead, kind } = step;
  const back = whyNot('rollback');
  const again = !dead && WORK.has(kind) && mayCall('retry') ? back : undefined;
  if (checkpoint === null || back === undefined) return null;
  return (
    <footer>
      <p class="quiet small">{say('page.checkpoint_here', { checkpoint: withShortIds(checkpoint) })}</p>
      {back !== null && <p class="refusal small">{back}</p>}
      <div class="actions">
        {back === null && (
          <Link hint="r" to={rewindTo(row.id, checkpoint)}>
            {say('page.rewind_here')}
          </Link>
        )}
        {again === null && (
          <Button onPress={() => resume(row, 'retry', step)}>{say('page.retry_here')}</Button>
        )}
        {whyNot('fork') === null && (
          <Button hint="f" onPress={() => forkFrom(checkpoint)}>
            {say('page.fork_here')}
          </Button>
        )}
        {mayCall('checkpoints diff') && (
          <Link hint="d" to={addressOf({ screen: 'task', task: row.id, tab: 'files', row: step.row })}>
            {say('page.diff_here')}
          </Link>
        )}
      </div>
    </footer>
  );
}

const WORK: ReadonlySet<Step['kind']> = new Set(['step', 'tool', 'shell', 'edit'] as const);
