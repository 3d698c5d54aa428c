/** Clean-up: what goes, what is spared and why, and how many bytes that frees, before anything is removed. */
import { useSignal } from '@preact/signals';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { confirm } from '../../kit/confirm.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { toast } from '../../kit/toast.tsx';
import { bytesOf } from '../../lib/bytes.ts';
import { taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Cleaned } from '../../shapes/care.ts';
import { mayChange } from '../../state/session.ts';
import { loadTasks, taskRow } from '../../state/tasks.ts';
import { byTask, sumOf } from './by-task.ts';

/** What can be asked for beyond the policies of the settings. */
const POLICIES = {
  settings: {},
  month: { 'older-than': 30 },
  newest: { keep: 5 },
  completed: { completed: true },
} as const;
type Policy = keyof typeof POLICIES;

export function CleanUp() {
  const policy = useSignal<Policy>('settings');
  const options = POLICIES[policy.value];
  const preview = useLoaded(
    (abort) => call<Cleaned>('clean', {}, { ...options, 'dry-run': true }, abort),
    [policy.value],
  );
  const clean = async () => {
    const done = await call<Cleaned>('clean', {}, { ...options, yes: true });
    toast(say('page.clean.done', { size: bytesOf(done.freed_bytes) }));
    await Promise.all([preview.again(), loadTasks()]);
  };
  return (
    <section aria-busy={preview.stale}>
      <fieldset class="chips" aria-label={say('page.clean.policy')}>
        {(Object.keys(POLICIES) as Policy[]).map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={policy.value === one}
            onClick={() => {
              policy.value = one;
            }}
          >
            {say(`page.clean.${one}`)}
          </button>
        ))}
      </fieldset>
      <Show of={preview}>
        {(found) => {
          const { count, size, isNothing } = sumOf(found);
          const does = count === 0 ? say('page.clean.does_free') : say('page.clean.does', { count });
          return (
            <>
              <p class="large">
                {isNothing
                  ? say('page.clean.nothing')
                  : count === 0
                    ? size > 0 && say('page.clean.would_free', { size: bytesOf(size) })
                    : say('page.clean.would', { count, size: bytesOf(size) })}
              </p>
              {found.forgotten.length > 0 && (
                <p>{say('page.clean.forgets', { count: found.forgotten.length })}</p>
              )}
              <Going found={found} />
              <Spared found={found} />
              {mayChange() && !isNothing && (
                <Button
                  whyNot={preview.stale ? say('page.rewind.looking') : null}
                  onPress={() =>
                    confirm({
                      title: say('page.clean.ask'),
                      body: <p>{say('page.clean.for_good')}</p>,
                      does,
                      run: clean,
                    })
                  }
                >
                  {does}
                </Button>
              )}
            </>
          );
        }}
      </Show>
    </section>
  );
}

function Going({ found }: { readonly found: Cleaned }) {
  const rows = byTask(found);
  if (rows.length === 0) return null;
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{say('page.clean.task')}</th>
          <th scope="col">{say('page.clean.checkpoints')}</th>
          <th scope="col">{say('page.clean.size')}</th>
          <th scope="col">{say('page.clean.why')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ task, count, bytes, why }) => (
          <tr key={task}>
            <td>
              <a href={taskAddress(task)}>
                <Text of={taskRow(task)?.name ?? task} />
              </a>
            </td>
            <td>{count}</td>
            <td class="nowrap">{bytesOf(bytes)}</td>
            <td>
              <Text of={why} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spared({ found }: { readonly found: Cleaned }) {
  const reasons = [...new Set(found.spared.map(({ because }) => because))];
  if (reasons.length === 0) return null;
  return (
    <>
      <p class="quiet">{say('page.clean.spared', { count: found.spared.length })}</p>
      <ul class="bullets quiet">
        {reasons.map((because) => (
          <li key={because}>
            <Text of={because} />
          </li>
        ))}
      </ul>
    </>
  );
}
