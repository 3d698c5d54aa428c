/** A resumed session sends the model all of what was said before, each message once, and a new session nothing of it. */
import type { Asked } from '../model/script.ts';
import { setStage } from '../stage.ts';
import type { Check } from './check.ts';

export const messages: Check = {
  name: 'messages',
  async *run(client) {
    await using stage = await setStage(
      client,
      () => ({
        first: [{ calls: [{ kind: 'write', path: 'a.txt', text: 'one\n' }] }, { text: 'First done.' }],
        second: [{ text: 'Second done.' }],
        third: [{ text: 'Third done.' }],
      }),
      { record: false },
    );
    const { session } = await stage.ask('[[first]] Begin.');
    await stage.ask('[[second]] Continue.', { resume: session });
    await stage.ask('[[third]] Begin something else.');
    const sent = (script: string) => said(stage.model.asked.findLast((one) => one.script === script));
    const first = ['prompt first', 'call', 'result'];
    // Gemini CLI makes two results of each that it reads from a transcript, by itself.
    const again = client === 'gemini' ? [...first, 'result'] : first;
    yield { part: 'first', problems: differ(sent('first'), first) };
    yield { part: 'resumed', problems: differ(sent('second'), [...again, 'First done.', 'prompt second']) };
    yield { part: 'new', problems: differ(sent('third'), ['prompt third']) };
  },
};

/** What was sent, without what the client adds of its own. */
function said(asked: Asked | undefined): string[] {
  return (asked?.messages ?? []).flatMap(({ role, text, calls, results }) => {
    if (role === 'assistant') return [...(text === '' ? [] : [text]), ...calls.map(() => 'call')];
    const prompts = role === 'user' ? [...text.matchAll(/\[\[(\w+)\]\]/g)] : [];
    return [...results.map(() => 'result'), ...prompts.map(([, name]) => `prompt ${name}`)];
  });
}

function differ(sent: readonly string[], due: readonly string[]): string[] {
  if (sent.join() === due.join()) return [];
  return [`the model was sent "${sent.join(', ')}" instead of "${due.join(', ')}"`];
}
