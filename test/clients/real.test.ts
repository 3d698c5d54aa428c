/**
 * A real agent with our hooks, against the fake model: Gemini CLI, the smallest of the four. `npm run test:clients` runs all four, and
 * more of each.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Hooked, type Shown, setHooked } from './hooked.ts';
import { install } from './install.ts';
import type { Asked, Scripts } from './model/script.ts';
import { HOLD } from './stage.ts';

const reason = await whyNot();
if (reason !== undefined) console.log(`Sessions of a real agent are skipped: ${reason}`);

const scripts = (root: string): Scripts => ({
  work: [
    { text: 'I write.', calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] },
    { calls: [{ kind: 'edit', path: 'a.txt', from: 'one', to: 'two' }] },
    { calls: [{ kind: 'shell', command: 'echo made > b.txt; echo more >> base.txt' }] },
    { text: 'This fails.', calls: [{ kind: 'shell', command: 'echo bad >&2; exit 3' }] },
    { text: 'Worked.' },
  ],
  slow: [
    { calls: [{ kind: 'write', path: 'c.txt', text: 'three\n' }] },
    {
      calls: [
        {
          kind: 'shell',
          command: `rm b.txt; echo begun > begun.txt; while [ -e ${join(root, HOLD)} ]; do sleep 0.1; done`,
        },
      ],
    },
    { text: 'Done.' },
  ],
  after: [{ text: 'I know.' }],
  other: [
    { calls: [{ kind: 'edit', path: 'a.txt', from: 'two', to: 'four' }] },
    { text: 'Done in another way.' },
  ],
});

describe.skipIf(reason !== undefined)('a session of the real Gemini CLI', () => {
  let stage: Hooked;
  let session: string;
  let task: string;
  const file = (name: string) => join(stage.place.project, name);
  const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : null);
  const files = () =>
    Object.fromEntries(
      ['a.txt', 'b.txt', 'c.txt', 'begun.txt', 'base.txt', 'mine.txt'].map((name) => [name, read(name)]),
    );
  const calls = ({ history }: Shown) => history.steps.map(({ name, status }) => `${name} ${status}`);
  const asked = (script: string) => stage.model.asked.findLast((one) => one.script === script)!;
  /** As the work left them, with what the person did after it. */
  const between = {
    ...{ 'a.txt': 'two\n', 'b.txt': 'made\n', 'c.txt': null, 'begun.txt': null },
    ...{ 'base.txt': 'base\nmore\nof a person\n', 'mine.txt': 'of a person\n' },
  };

  beforeAll(async () => {
    stage = await setHooked('gemini', scripts);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test('has every call once, with how it ended, and exactly its files', async () => {
    ({ session } = await stage.ask('[[work]] Work.'));
    const [found, ...more] = await stage.tasks();
    expect(more).toEqual([]);
    expect(found).toMatchObject({ client: 'gemini', session, idle: true, holder: null });
    task = found!.id;
    const shown = await stage.show(task);
    expect(calls(shown)).toEqual([
      'tool:write_file success',
      'tool:replace success',
      'tool:run_shell_command success',
      'tool:run_shell_command failed',
    ]);
    expect(shown.files.changed).toEqual(['a.txt', 'b.txt', 'base.txt']);
  });

  test('is interrupted when the client is killed, and the model is told what was cut off', async () => {
    writeFileSync(file('mine.txt'), 'of a person\n');
    writeFileSync(file('base.txt'), 'base\nmore\nof a person\n');
    const running = await stage.start('[[slow]] Take your time.', { resume: session });
    await running.until(file('begun.txt'));
    await running.kill();
    await expect.poll(async () => (await stage.tasks())[0]!.holder).toBe(null);
    expect(await stage.tasks()).toMatchObject([
      { id: task, status: 'in_progress', idle: false, resumable: true },
    ]);

    await stage.ask('[[after]] Continue.', { resume: session });
    expect(JSON.stringify(asked('after').body)).toMatch(
      /was cut off .* Changed since, by it or by others: [^"]*begun\.txt/,
    );
    const shown = await stage.show(task);
    expect(calls(shown).slice(4)).toEqual(['tool:write_file success', 'tool:run_shell_command failed']);
    expect(shown.task).toMatchObject({ id: task, idle: true });
  });

  test('is rewound, files and conversation, and a person’s edits stay', async () => {
    const after = files();
    const { turns } = await stage.show(task);
    expect(turns).toHaveLength(3);
    // Of what a call that was cut off changed, it is not known whether others did: a person answers for these two files.
    const answers = ['--on-deleted', 'b.txt=restore', '--on-modified', 'begun.txt=use_checkpoint'];
    const back = () => stage.vibe<Moved>('rollback', task, '--to', turns[1]!.ref, ...answers, '--yes');

    expect((await back()).conversation).toMatchObject({ cut: true, exact: true });
    expect(files()).toEqual(between);
    expect((await stage.vibe<Moved>('redo', task, '--yes')).conversation.session).toBe(session);
    expect(files()).toEqual(after);

    const cut = (await back()).conversation.session;
    expect(cut).not.toBe(session);
    await stage.ask('[[other]] Do it in another way.', { resume: cut });
    expect(prompts(asked('other'))).toEqual(['work', 'other']);
    expect(files()).toEqual({ ...between, 'a.txt': 'four\n' });
    expect(calls(await stage.show(task)).slice(4)).toEqual(['tool:replace success']);
    expect(await stage.tasks()).toHaveLength(1);
    expect(await stage.vibe('doctor')).toMatchObject({ problems: [] });
    expect(stage.model.strange).toEqual([]);
  });
});

interface Moved {
  readonly conversation: { readonly session: string; readonly cut: boolean; readonly exact: boolean };
}

/** Which prompts the model was sent. */
const prompts = ({ messages }: Asked) =>
  messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ text }) => [...text.matchAll(/\[\[(\w+)\]\]/g)].map(([, name]) => name));

async function whyNot(): Promise<string | undefined> {
  if (process.platform === 'win32') return 'the hooks of Gemini CLI need a POSIX shell';
  return await install('gemini').then(
    () => undefined,
    (error: Error) => error.message,
  );
}
