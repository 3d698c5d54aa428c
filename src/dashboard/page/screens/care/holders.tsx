/** Who runs which task, and who has reserved which files. */
import { ago, moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { taskAddress } from '../../lib/route.ts';
import { call } from '../../net/api.ts';
import type { Locked } from '../../shapes/care.ts';

export function Holders() {
  const loaded = useLoaded((abort) => call<Locked>('locks', {}, {}, abort), []);
  return (
    <section>
      <h2>{say('page.holders')}</h2>
      <Show of={loaded} lines={2}>
        {({ tasks, files }) => {
          if (tasks.length + files.length === 0) return <p class="quiet">{say('page.holders.none')}</p>;
          return (
            <ul class="bullets">
              {tasks.map(({ task, name, client, holder }) => (
                <li key={task}>
                  <a href={taskAddress(task)}>
                    <Text of={name} />
                  </a>{' '}
                  <span class="quiet">
                    {say('page.holders.runs', { holder: client === null ? holder : `${client}, ${holder}` })}
                  </span>
                </li>
              ))}
              {files.map(({ id, owner, paths, operation, expires_at, expired, task_name, client }) => (
                <li key={id}>
                  <code>
                    <Text of={paths.join(', ')} />
                  </code>{' '}
                  <span class="quiet">
                    {say(`page.holders.${expired ? 'expired' : operation === 'write' ? 'writes' : 'reads'}`, {
                      owner: task_name ?? client ?? owner,
                      time: expired ? ago(expires_at) : moment(expires_at),
                    })}
                  </span>
                </li>
              ))}
            </ul>
          );
        }}
      </Show>
    </section>
  );
}
