/** A fork from a checkpoint: a second way from there, in the same directory or in one of its own. */
import { say } from '../../ground/language.ts';
import { confirm } from '../../kit/confirm.tsx';
import { toast } from '../../kit/toast.tsx';
import { taskAddress } from '../../lib/route.ts';
import { withShortIds } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import { mayCall, mayChange } from '../../state/session.ts';

export function forkFrom(checkpoint: string): void {
  if (!mayChange() || !mayCall('fork')) return;
  confirm({
    title: say('page.fork.title', { checkpoint: withShortIds(checkpoint) }),
    body: <p>{say('page.fork.text')}</p>,
    does: say('page.fork'),
    async run() {
      const made = await call<{ task: string }>('fork', { checkpoint });
      toast(say('page.forked'), {
        action: {
          label: say('page.open'),
          run: () => {
            location.hash = taskAddress(made.task);
          },
        },
      });
    },
  });
}
