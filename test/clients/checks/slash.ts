/**
 * Our commands in a client's own prompt: the model is sent what each says, with what was typed after it; the command lines that it names
 * work as they are; and the tools of the host answer it.
 */
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
  opencode: null,
};

const NO_TOOLS: Partial<Readonly<Record<ClientName, string>>> = {
  codex: 'it offers the tools of plugins only to a model that searches for them, which the fake one does not',
  opencode: 'its plugin has the host to itself',
};

/** What the model reads of each. */
const SAYS: Readonly<Record<string, { readonly tools: RegExp; readonly shell: RegExp }>> = {
  tasks: { tools: /Run `.* tasks/, shell: /Run `.* tasks/ },
  rewind: { tools: /call `checkpoints` and ask me which one/, shell: /with the command `.* rewind`/ },
  redo: { tools: /Run `.* redo/, shell: /Run `.* redo/ },
  diff: { tools: /Call the tool `diff`/, shell: /with the command `.* checkpoints diff`/ },
  who: { tools: /Call the tool `who_has`/, shell: /Run `.* locks`/ },
};

function scriptsFor(client: ClientName): Scripts {
  const server = SERVER[client];
  const call = (tool: string) => ({ kind: 'mcp' as const, server: server!, tool, input: {} });
  return {
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
    await using stage = await setHooked(client, () => scriptsFor(client));
    const { session } = await stage.ask('[[begin]] Make a file.');
    for (const [name, says] of Object.entries(SAYS)) {
      const { prompt, ...more } = TYPED[client](name);
      await stage.ask(prompt, { resume: session, ...more });
      const text = textOf(stage.model.asked.findLast(({ script }) => script === 'said'));
      const due = client === 'opencode' ? says.shell : says.tools;
      yield { part: name, problems: due.test(text) ? [] : [`the model was sent: ${text.slice(-600)}`] };
      yield* lineWorks(stage, name, text);
    }
    yield* toolsAnswer(stage, client, session);
  },
};

/** `tasks` lists the session as it is typed by the model. */
async function* lineWorks(stage: Hooked, name: string, text: string): AsyncGenerator<Outcome> {
  const line = name === 'tasks' ? /Run `([^`]*)` in the shell/.exec(text)?.[1] : undefined;
  if (line === undefined) return;
  const { stdout, stderr } = await stage.other('sh', '-c', line.replace(/what I wrote.*|\[\[.*/s, ''));
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
