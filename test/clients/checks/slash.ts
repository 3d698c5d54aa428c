/**
 * Our commands in a client's own prompt: the model is sent what each says, with what was typed after it; the command lines that it names
 * work as they are; and the tools of the host answer it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Hooked, setHooked } from '../hooked.ts';
import type { ClientName } from '../install.ts';
import type { Asked, Scripts } from '../model/script.ts';
import type { Check, Outcome } from './check.ts';

/** How a person types it; opencode has no prompt outside its screen, and takes the name as an option. */
const TYPED: Readonly<Record<ClientName, (name: string) => { prompt: string; more?: readonly string[] }>> = {
  claude: (name) => ({ prompt: `/vibe:${name} [[said]]` }),
  codex: (name) => ({ prompt: `$vibe:${name} [[said]]` }),
  gemini: (name) => ({ prompt: `/vibe:${name} [[said]]` }),
  opencode: (name) => ({ prompt: '[[said]]', more: ['--command', `vibe/${name}`] }),
};

/** The host, as the client names the servers of its plugins; null where the fake model cannot call its tools. */
const SERVER: Readonly<Record<ClientName, string | null>> = {
  claude: 'plugin_vibe_vibe',
  codex: null,
  gemini: 'vibe',
  opencode: 'vibe',
};

const NO_TOOLS: Partial<Readonly<Record<ClientName, string>>> = {
  codex: 'it offers the tools of plugins only to a model that searches for them, which the fake one does not',
};

/** What the model reads of each. */
const SAYS: Readonly<Record<string, RegExp>> = {
  tasks: /Run `.* tasks` in the shell/,
  rewind: /call the tool `(?:vibe_)?checkpoints`.* and ask me which one/,
  redo: /call the tool `(?:vibe_)?redo`/,
  diff: /Call the tool `(?:vibe_)?diff`/,
  who: /Call the tool `(?:vibe_)?who_has`/,
};

/** `to` has the checkpoint once it is known. */
function scriptsFor(client: ClientName, to: { checkpoint: string; confirmed: true }): Scripts {
  const server = SERVER[client];
  const call = (tool: string, input: Readonly<Record<string, unknown>> = {}) => ({
    kind: 'mcp' as const,
    server: server!,
    tool,
    input,
  });
  return {
    more: [{ calls: [{ kind: 'write', path: 'b.txt', text: 'two\n' }] }, { text: 'More.' }],
    back: [{ calls: [call('rewind', to)] }, { text: 'Taken back.' }],
    forth: [{ calls: [call('redo', { confirmed: true })] }, { text: 'It is back.' }],
    begin: [{ calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] }, { text: 'Begun.' }],
    said: [{ text: 'Understood.' }],
    tools: [
      ...(server === null ? [] : ['checkpoints', 'diff', 'who_has'].map((tool) => ({ calls: [call(tool)] }))),
      { text: 'Looked.' },
    ],
  };
}

export const slash: Check = {
  name: 'slash',
  async *run(client) {
    const to = { checkpoint: '', confirmed: true as const };
    await using stage = await setHooked(client, () => scriptsFor(client, to));
    const { session } = await stage.ask('[[begin]] Make a file.');
    for (const [name, says] of Object.entries(SAYS)) {
      const { prompt, ...more } = TYPED[client](name);
      await stage.ask(prompt, { resume: session, ...more });
      const text = textOf(stage.model.asked.findLast(({ script }) => script === 'said'));
      yield { part: name, problems: says.test(text) ? [] : [`the model was sent: ${text.slice(-600)}`] };
      yield* lineWorks(stage, name, text);
    }
    yield* toolsAnswer(stage, client, session);
    if (NO_TOOLS[client] === undefined) yield* moves(stage, session, to);
  },
};

/** The session takes itself back, and forth again, each in a turn of its own. */
async function* moves(stage: Hooked, session: string, to: { checkpoint: string }): AsyncGenerator<Outcome> {
  await stage.ask('[[more]] Make another.', { resume: session });
  const [task] = await stage.tasks();
  to.checkpoint = (await stage.show(task!.id)).turns.at(-1)!.checkpoint;
  for (const [script, there] of [
    ['back', false],
    ['forth', true],
  ] as const) {
    await stage.ask(`[[${script}]] Move.`, { resume: session });
    const answer = textOf(stage.model.asked.findLast((one) => one.script === script));
    const { conversation } = await stage.vibe<{ conversation: { cut: boolean } }>(
      'resume',
      task!.id,
      '--dry-run',
    );
    yield {
      part: `a turn goes ${script}`,
      problems: [
        ...(existsSync(join(stage.place.project, 'b.txt')) === there ? [] : [`b.txt: ${answer.slice(-600)}`]),
        ...(conversation.cut === !there ? [] : [`the conversation is ${JSON.stringify(conversation)}`]),
      ],
    };
  }
}

/** `tasks` lists the session as it is typed by the model. */
async function* lineWorks(stage: Hooked, name: string, text: string): AsyncGenerator<Outcome> {
  const line = name === 'tasks' ? /Run `([^`]*)` in the shell/.exec(text)?.[1] : undefined;
  if (line === undefined) return;
  const { stdout, stderr } = await stage.other('sh', '-c', line);
  const found = stdout.includes('Make a file.');
  yield { part: `${name}, as it is typed`, problems: found ? [] : [`${line}: ${stdout}${stderr}`] };
}

async function* toolsAnswer(stage: Hooked, client: ClientName, session: string): AsyncGenerator<Outcome> {
  const skipped = NO_TOOLS[client];
  if (skipped !== undefined) {
    yield { part: 'tools', problems: [], skipped };
    return;
  }
  await stage.ask('[[tools]] Look.', { resume: session });
  const asked = stage.model.asked.findLast(({ script }) => script === 'tools');
  const results = (asked?.messages ?? []).flatMap((message) => message.results.map(({ text }) => text));
  const [checkpoints = '', diff = '', who = ''] = results.slice(-3);
  const problems = [
    ...(/Make a file/.test(checkpoints) ? [] : [`checkpoints: ${checkpoints}`]),
    ...(/a\.txt/.test(diff) ? [] : [`diff: ${diff}`]),
    ...(who === '' || /no tool|error/i.test(who) ? [`who_has: ${who}`] : []),
  ];
  yield { part: 'tools', problems };
}

function textOf(asked: Asked | undefined): string {
  return (asked?.messages ?? []).map(({ text }) => text).join('\n');
}
