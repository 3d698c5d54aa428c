/**
 * Two clients in one project: the second may not change a file that the first has changed in its turn, and is told who has it; what
 * each did to other files is taken back by itself.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setHooked } from '../hooked.ts';
import type { ClientName } from '../install.ts';
import { HOLD } from '../stage.ts';
import type { Check } from './check.ts';

const TITLES: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
};

const write = (path: string, text: string) => ({ kind: 'write' as const, path, text });

export const two: Check = {
  name: 'two',
  async *run(client) {
    const other = client === 'claude' ? 'codex' : 'claude';
    await using first = await setHooked(client, (root) => ({
      first: [
        { calls: [write('a.txt', 'one\n')] },
        {
          calls: [
            {
              kind: 'shell',
              command: `echo begun > begun.txt; while [ -e ${join(root, HOLD)} ]; do sleep 0.1; done`,
            },
          ],
        },
        { text: 'Done.' },
      ],
    }));
    await using second = await setHooked(
      other,
      () => ({
        second: [
          { calls: [write('c.txt', 'two\n')] },
          { calls: [write('a.txt', 'two\n')] },
          { calls: [{ kind: 'read', path: 'a.txt' }] },
          { text: 'Done.' },
        ],
        later: [{ calls: [{ kind: 'edit', path: 'a.txt', from: 'one', to: 'later' }] }, { text: 'Done.' }],
      }),
      { beside: first },
    );
    const read = (name: string) => {
      const path = join(first.place.project, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    };
    const running = await first.start('[[first]] Begin.');
    await running.until(join(first.place.project, 'begun.txt'));
    const { session } = await second.ask('[[second]] Begin, too.');
    const results = second.model.asked
      .findLast(({ script }) => script === 'second')!
      .messages.flatMap(({ results }) => results.map(({ text }) => text));
    const told = results.find((text) => text.includes('being changed by'));
    yield {
      part: 'denied',
      problems: [
        ...(read('a.txt') === 'one\n' ? [] : [`a.txt is ${read('a.txt')}`]),
        ...(told?.includes(`a.txt: being changed by ${TITLES[client]}`) && /reserved until 20/.test(told)
          ? []
          : [`the model was told ${JSON.stringify(results)}`]),
        ...(results.at(-1)?.includes('one') ? [] : [`it read ${results.at(-1)}`]),
        ...(read('c.txt') === 'two\n' ? [] : ['it could not write another file']),
      ],
    };
    rmSync(join(first.root, HOLD));
    const { code } = await running.done;
    yield { part: 'the first ends', problems: code === 0 ? [] : [`with ${code}`] };

    const tasks = await first.tasks();
    const taskOf = (name: ClientName) => tasks.find((task) => task.client === name)!.id;
    const back = async (name: ClientName) => {
      const { turns } = await first.show(taskOf(name));
      await first.vibe('rollback', taskOf(name), '--to', turns[0]!.ref, '--yes');
    };
    const files = () => JSON.stringify(['a.txt', 'c.txt'].map(read));
    const differ = (due: string) => (files() === due ? [] : [`the files are ${files()} instead of ${due}`]);
    await back(client);
    yield { part: 'the first alone taken back', problems: differ('[null,"two\\n"]') };
    await first.vibe('redo', taskOf(client), '--yes');
    yield { part: 'and redone', problems: differ('["one\\n","two\\n"]') };
    await second.vibe(
      'rollback',
      taskOf(other),
      '--to',
      (await second.show(taskOf(other))).turns[0]!.ref,
      '--yes',
    );
    yield { part: 'the second alone taken back', problems: differ('["one\\n",null]') };
    await second.vibe('redo', taskOf(other), '--yes');
    await second.ask('[[later]] Again.', { resume: session });
    yield { part: 'free after the turn', problems: differ('["later\\n","two\\n"]') };
  },
};
