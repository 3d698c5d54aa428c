/**
 * A rewind with a real client: two prompts, a person's edits between them, back to before the second, and forward again. The
 * files are as they were then, the person's stay, and the model is sent exactly what was said up to there.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooked, setHooked } from '../hooked.ts';
import type { Asked, Scripts } from '../model/script.ts';
import type { Check, Outcome } from './check.ts';

/** What the fake model says. */
const SCRIPTS: Scripts = {
  first: [
    { text: 'I will write.', calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] },
    { text: 'And run.', calls: [{ kind: 'shell', command: 'echo one > b.txt' }] },
    { text: 'First done.' },
  ],
  second: [
    { text: 'I will remove.', calls: [{ kind: 'shell', command: 'rm b.txt; echo two > a.txt' }] },
    { text: 'Second done.' },
  ],
  third: [
    { calls: [{ kind: 'read', path: 'a.txt' }] },
    { calls: [{ kind: 'edit', path: 'a.txt', from: 'one', to: 'three' }] },
    { text: 'Third done.' },
  ],
  fourth: [{ text: 'Fourth done.' }],
};

export const rewind: Check = {
  name: 'rewind',
  async *run(client) {
    await using stage = await setHooked(client, () => SCRIPTS);
    yield* rewound(stage);
  },
};

async function* rewound(stage: Hooked): AsyncGenerator<Outcome> {
  const { project } = stage.place;
  const read = (name: string) => {
    const path = join(project, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const files = () => JSON.stringify(['a.txt', 'b.txt', 'base.txt', 'mine.txt'].map(read));
  const vibe = (...args: string[]) => stage.vibe<Answer>(...args);
  const sent = (script: string) => said(stage.model.asked.find((one) => one.script === script));

  const { session } = await stage.ask('[[first]] Begin.');
  writeFileSync(join(project, 'mine.txt'), 'a person\n');
  writeFileSync(join(project, 'base.txt'), 'base\na person\n');
  const between = files();
  await stage.ask('[[second]] Continue.', { resume: session });
  const after = files();
  const [task] = (await vibe('tasks')).tasks!;
  const { turns } = await vibe('show', task!.id);
  yield { part: 'recorded', problems: differ(turns!.length, 2) };

  const back = await vibe('rollback', task!.id, '--to', turns![1]!.ref, '--yes');
  yield { part: 'files back', problems: differ(files(), between) };
  yield { part: 'exact', problems: differ(back.conversation?.cut && back.conversation.exact, true) };
  const redone = await vibe('redo', task!.id, '--yes');
  yield { part: 'files forward', problems: differ(files(), after) };
  yield { part: 'old session', problems: differ(redone.conversation!.session, session) };
  await stage.ask('[[fourth]] Continue.', { resume: redone.conversation!.session });
  const first = [
    'prompt first',
    'I will write.',
    'call',
    'result',
    'And run.',
    'call',
    'result',
    'First done.',
  ];
  const second = ['prompt second', 'I will remove.', 'call', 'result', 'Second done.'];
  yield { part: 'all sent', problems: differ(sent('fourth'), [...first, ...second, 'prompt fourth'].join()) };

  await vibe('rollback', task!.id, '--to', turns![1]!.ref, '--yes');
  const { conversation } = await vibe('resume', task!.id, '--dry-run');
  await stage.ask('[[third]] Continue otherwise.', { resume: conversation!.session });
  yield { part: 'sent up to there', problems: differ(sent('third'), [...first, 'prompt third'].join()) };
  yield { part: 'can edit', problems: differ(files(), between.replace('one', 'three')) };
  const tasks = (await vibe('tasks')).tasks!;
  yield { part: 'the same task', problems: differ(tasks.length, 1) };
  const again = await vibe('show', task!.id);
  yield { part: 'its turns', problems: differ(again.turns!.length, 2) };
}

interface Answer {
  readonly tasks?: readonly { readonly id: string }[];
  readonly turns?: readonly { readonly ref: string }[];
  readonly conversation?: { readonly session: string; readonly cut: boolean; readonly exact: boolean };
}

/** What was sent, without what the client adds of its own. Gemini CLI sends each result twice after it was resumed. */
function said(asked: Asked | undefined): string {
  const all = (asked?.messages ?? []).flatMap(({ role, text, calls, results }) => {
    if (role === 'assistant') return [...(text === '' ? [] : [text]), ...calls.map(() => 'call')];
    const prompts = role === 'user' ? [...text.matchAll(/\[\[(\w+)\]\]/g)] : [];
    return [...results.map(() => 'result'), ...prompts.map(([, name]) => `prompt ${name}`)];
  });
  return all.filter((one, at) => one !== 'result' || all[at - 1] !== 'result').join();
}

function differ<T>(found: T, due: T): string[] {
  return found === due ? [] : [`it is ${found} instead of ${due}`];
}
