/** What can be done with a task now: the likeliest in sight, all of them behind one button, with the reason where one is refused. */
import { useSignal } from '@preact/signals';
import { resume } from '../../asking/resume.tsx';
import { say } from '../../ground/language.ts';
import { Button, Link } from '../../kit/button.tsx';
import { confirm } from '../../kit/confirm.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Dots } from '../../kit/icons.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { plainOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Action, TaskRow } from '../../shapes/types.ts';
import type { DisplayStatus } from '../../state/display-status.ts';
import { mayCall } from '../../state/session.ts';
import { forkFrom } from './fork.tsx';
import { rewindTo } from './refused.ts';

const VERBS = ['resume', 'retry', 'pause', 'rollback', 'undo', 'redo', 'fork', 'cancel'] as const;
type Verb = (typeof VERBS)[number];

interface ActionsProps {
  readonly row: TaskRow;
  readonly actions: readonly Action[];
  readonly display: DisplayStatus;
}

export function Actions({ row, actions, display }: ActionsProps) {
  const open = useSignal(false);
  const known = VERBS.flatMap((verb) => {
    const action = actions.find((one) => one.verb === verb);
    return action && mayCall(verb) ? [{ ...action, verb }] : [];
  });
  if (known.length === 0) return null;
  const main: Verb = display === 'failed' ? 'retry' : 'resume';
  const inSight: readonly Verb[] = [
    main,
    'pause',
    'redo',
    ...(ENDED.includes(display) ? ['undo' as const] : []),
  ];
  const close = () => {
    open.value = false;
  };
  return (
    <>
      <div class="actions">
        {known
          .filter(({ verb, allowed }) => allowed && inSight.includes(verb))
          .map((action) => (
            <Act
              key={action.verb}
              row={row}
              action={action}
              kind={action.verb === main && display !== 'waiting' ? 'main' : 'plain'}
            />
          ))}
        <Button
          kind="bare"
          label={say('page.actions')}
          onPress={() => {
            open.value = true;
          }}
        >
          <Dots />
        </Button>
      </div>
      {open.value && (
        <Dialog sheet title={say('page.actions')} onClose={close}>
          <All row={row} actions={known} onDone={close} />
        </Dialog>
      )}
    </>
  );
}

type Known = Omit<Action, 'verb'> & { readonly verb: Verb };

/** First what can be done, and what it does; then what is refused, and why. */
function All({
  row,
  actions,
  onDone,
}: {
  readonly row: TaskRow;
  readonly actions: readonly Known[];
  onDone(): void;
}) {
  return (
    <>
      <ul class="choices">
        {actions
          .filter(({ allowed }) => allowed)
          .map((action) => (
            <li key={action.verb}>
              <Act row={row} action={action} onDone={onDone} />
              <p class="quiet small">{say(`page.act.${action.verb}.does`)}</p>
            </li>
          ))}
      </ul>
      <h3 class="section-name">{say('page.actions.refused')}</h3>
      <dl class="facts">
        {actions
          .filter(({ allowed }) => !allowed)
          .map(({ verb, why_not }) => (
            <div key={verb}>
              <dt>{say(`page.act.${verb}`).replace('…', '')}</dt>
              <dd>{why_not}</dd>
            </div>
          ))}
      </dl>
    </>
  );
}

const ENDED: readonly DisplayStatus[] = ['done', 'cancelled'];

function Act({
  row,
  action: { verb, args },
  kind = 'plain',
  onDone,
}: {
  readonly row: TaskRow;
  readonly action: Known;
  readonly kind?: 'main' | 'plain';
  onDone?(): void;
}) {
  const name = say(`page.act.${verb}`);
  const to = verb === 'rollback' ? String(args.checkpoint) : verb === 'undo' || verb === 'redo' ? verb : null;
  if (to !== null)
    return (
      <Link kind={kind} to={rewindTo(row.id, to)}>
        {name}
      </Link>
    );
  return (
    <Button
      kind={kind}
      onPress={() => {
        onDone?.();
        return run(verb, row, args);
      }}
    >
      {name}
    </Button>
  );
}

function run(verb: Verb, row: TaskRow, args: Action['args']): unknown {
  switch (verb) {
    case 'resume':
    case 'retry':
      return resume(row, verb);
    case 'pause':
      return attempt(async () => {
        await call('pause', { task: row.id });
        toast(say('page.paused', { name: plainOf(row.name) }));
      });
    case 'fork':
      return forkFrom(String(args.checkpoint));
    default:
      return cancel(row);
  }
}

function cancel(row: TaskRow): void {
  confirm({
    title: say('page.cancel.title', { name: plainOf(row.name) }),
    body: <p>{say('page.cancel.text')}</p>,
    does: say('page.cancel.does'),
    async run() {
      await call('cancel', { task: row.id });
      toast(say('page.cancelled', { name: plainOf(row.name) }));
    },
  });
}
