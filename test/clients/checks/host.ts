/** The host is killed in a call: the client's turn ends, nothing that was recorded is lost, and the next turn is recorded in any case. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setHooked } from '../hooked.ts';
import { HOLD } from '../stage.ts';
import type { Check } from './check.ts';

const write = (path: string, text: string) => ({ kind: 'write' as const, path, text });

export const host: Check = {
  name: 'host',
  async *run(client) {
    await using stage = await setHooked(client, (root) => ({
      slow: [
        { calls: [write('a.txt', 'one\n')] },
        {
          calls: [
            {
              kind: 'shell',
              command: `echo begun > begun.txt; while [ -e ${join(root, HOLD)} ]; do sleep 0.1; done`,
            },
          ],
        },
        { calls: [write('b.txt', 'two\n')] },
        { text: 'Done.' },
      ],
      after: [{ calls: [write('c.txt', 'three\n')] }, { text: 'Done.' }],
    }));
    const running = await stage.start('[[slow]] Take your time.');
    await running.until(join(stage.place.project, 'begun.txt'));
    const hosts = stage.hosts();
    for (const pid of hosts) process.kill(pid, 'SIGKILL');
    rmSync(join(stage.root, HOLD));
    const { code, stderr } = await running.done;
    yield {
      part: 'the turn ends',
      problems: [...(hosts.length > 0 ? [] : ['there was no host']), ...(code === 0 ? [] : [stderr])],
    };
    const [task] = await stage.tasks();
    const states = async () => {
      const { history } = await stage.show(task!.id);
      return history.steps.map(({ name, status }) => `${name} ${status}`).join(', ');
    };
    const between = await states();
    yield {
      part: `kept (${between})`,
      problems: /^tool:\w+ success, tool:\w+ \w+/.test(between) ? [] : ['a call is lost'],
    };
    yield {
      part: 'the next call is recorded',
      problems: between.split(', ').length >= 3 ? [] : ['it is not'],
    };
    await stage.ask('[[after]] Continue.', { resume: task!.session });
    const after = await states();
    yield {
      part: 'the next turn is recorded',
      problems: /success$/.test(after) && !after.includes('pending') ? [] : [after],
    };
    const asked = stage.model.asked.find(({ script }) => script === 'after');
    const told = JSON.stringify(asked?.body ?? '').includes('was cut off');
    yield { part: 'told right', problems: told ? ['the model was told that a call was cut off'] : [] };
    const { problems } = await stage.vibe<{ problems: readonly unknown[] }>('doctor');
    yield { part: 'whole', problems: problems.map((one) => JSON.stringify(one)) };
  },
};
