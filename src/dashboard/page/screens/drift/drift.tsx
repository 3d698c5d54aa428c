/** How far the repository has moved on under a task: severity as a sentence, and the merge tried aside before a rebase. */
import { useSignal } from '@preact/signals';
import { ago, moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { confirm } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Empty } from '../../kit/notes.tsx';
import { Text } from '../../kit/text.tsx';
import { attempt, toast } from '../../kit/toast.tsx';
import { call } from '../../net/api.ts';
import type { Drifted, Rebase } from '../../shapes/care.ts';
import { journalEnd } from '../../state/live.ts';
import { mayChange } from '../../state/session.ts';
import { behind } from '../../state/task.ts';

export function DriftView({ task }: { readonly task: string }) {
  const fresh = useSignal(0);
  const grown = journalEnd.value?.task === task ? journalEnd.value.position : 0;
  const loaded = useLoaded(
    async (abort) => {
      const options = fresh.value === 0 ? { stored: true } : {};
      const { tasks } = await call<{ tasks: readonly Drifted[] }>('drift', { task }, options, abort);
      const [found] = tasks;
      if (found && fresh.value > 0) behind.value = { task, commits: found.commits_behind };
      return found ?? 'none';
    },
    [task, fresh.value, grown],
  );
  return (
    <Show of={loaded}>
      {(drift) =>
        drift === 'none' ? (
          <Empty title={say('page.drift.none')} text={say('page.drift.none_text')} />
        ) : (
          <div class="drift">
            <p class="large">{sentenceOf(drift)}</p>
            <p class="quiet">
              {drift.branch && (
                <>
                  <code>
                    <Text of={drift.branch} />@{drift.head?.slice(0, 10) ?? '–'}
                  </code>{' '}
                </>
              )}
              {say('page.drift.checked', { time: ago(drift.checked_at) })}
            </p>
            {drift.files.length > 0 && (
              <>
                <h2>{say('page.drift.files', { count: drift.files.length })}</h2>
                <ul class="mono names">
                  {drift.files.map((path) => (
                    <li key={path}>
                      <Text of={path} />
                    </li>
                  ))}
                </ul>
              </>
            )}
            <div class="actions">
              <Button
                onPress={() => {
                  fresh.value += 1;
                }}
              >
                {say('page.drift.look')}
              </Button>
              {mayChange() && drift.commits_behind > 0 && (
                <Button onPress={() => attempt(() => askRebase(task, loaded.again))}>
                  {say('page.drift.rebase')}
                </Button>
              )}
            </div>
            <Events drift={drift} />
          </div>
        )
      }
    </Show>
  );
}

const LEVELS = ['low', 'medium', 'high'] as const;

function sentenceOf({ commits_behind, upstream, level, unknown }: Drifted): string {
  if (unknown !== null) return say('page.drift.unknown', { why: unknown });
  if (commits_behind === 0) return say('page.drift.even');
  const known = LEVELS.find((one) => one === level);
  const behind = say('page.drift.behind', { count: commits_behind, upstream: upstream ?? '–' });
  return known ? `${behind} ${say(`page.drift.${known}`)}` : behind;
}

/** The rebase is tried aside first: what it moves stands in the question. */
async function askRebase(task: string, after: () => Promise<void>): Promise<void> {
  const plan = await call<Rebase>('rebase', { task }, { 'dry-run': true });
  confirm({
    title: say('page.drift.rebase_title', { branch: plan.branch, onto: plan.onto }),
    body: (
      <>
        <p>{say('page.drift.rebase_text', { count: plan.commits.length, files: plan.files.length })}</p>
        <ul class="bullets">
          {plan.commits.map(({ id, subject }) => (
            <li key={id}>
              <code>{id.slice(0, 10)}</code> <Text of={subject} />
            </li>
          ))}
        </ul>
        {plan.test_command === null ? (
          <p class="notice">{say('page.drift.no_tests')}</p>
        ) : (
          <p>
            {say('page.drift.tests')}{' '}
            <code>
              <Text of={plan.test_command} />
            </code>
          </p>
        )}
      </>
    ),
    does:
      plan.test_command === null
        ? say('page.drift.rebase_does_untested')
        : say('page.drift.rebase_does', { onto: plan.onto }),
    run: async () => {
      await call('rebase', { task }, { yes: true });
      toast(say('page.drift.rebased', { onto: plan.onto }));
      await after();
    },
  });
}

function Events({ drift }: { readonly drift: Drifted }) {
  if (drift.events.length === 0) return null;
  return (
    <>
      <h2>{say('page.drift.events')}</h2>
      <ul class="bullets">
        {drift.events.map(({ detected_at, type, resolution }) => (
          <li key={`${detected_at} ${type}`}>
            {moment(detected_at)} · {say(`page.drift.type.${typeOf(type)}`)} ·{' '}
            {say(`page.drift.resolution.${resolutionOf(resolution)}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

const TYPES = ['upstream_change', 'local_change', 'force_push', 'branch_switched', 'head_moved'] as const;
const RESOLUTIONS = ['ignored', 'rebased', 'task_restarted', 'user_handled', 'pending'] as const;

const typeOf = (type: string): (typeof TYPES)[number] => TYPES.find((one) => one === type) ?? 'head_moved';
const resolutionOf = (given: string): (typeof RESOLUTIONS)[number] =>
  RESOLUTIONS.find((one) => one === given) ?? 'pending';
