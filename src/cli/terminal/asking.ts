/** Asking the person at the terminal. Where there is none, a question is an error that names the flag which answers it. */
import type { Prompter, Question } from '../../engine/api/prompter.ts';
import { EngineError } from '../../errors.ts';
import { toScreen } from '../../verbs/format/paint.ts';
import type { Mask } from '../../verbs/kit/masked.ts';
import { askNobody } from '../../verbs/kit/nobody.ts';
import type { Ask } from '../../verbs/kit/verb.ts';
import { labelOf } from '../../verbs/shared/question-words.ts';
import type { Say } from '../../verbs/text/choose.ts';
import type { CliIo } from '../common/io.ts';
import type { Live } from './live.ts';

/** Letters and spaces are no arrows: words that are typed at a list would change what is selected. */
async function prompts(): Promise<typeof import('@clack/prompts')> {
  const clack = await import('@clack/prompts');
  for (const letter of 'hjkl') clack.settings.aliases.delete(letter);
  clack.settings.actions.delete('space');
  return clack;
}

/** Questions are shown as `mask` gives them. */
export function asker(io: Pick<CliIo, 'interactive'>, say: Say, live: Live, mask: Mask): Ask {
  if (!io.interactive) return askNobody(say, mask);
  return {
    // Typed and confirmed: the library's own answers at the first "y" of whatever is typed.
    confirm: async (question, _flag, signal) => {
      const message = toScreen(mask(question));
      const { text } = await prompts();
      const [yes, no] = [say('ask.yes'), say('ask.no')];
      const meant = (given = ''): boolean | undefined => {
        const word = given.trim().toLowerCase();
        if (word === '' || word === no || word === 'n' || word === 'no') return false;
        return word === yes || word === 'y' || word === 'yes' ? true : undefined;
      };
      const validate = (given: string | undefined): string | undefined =>
        meant(given) === undefined ? say('ask.yes_or_no', { yes, no }) : undefined;
      const shown = { message: `${message} (${yes}/${no})`, placeholder: no, validate, ...until(signal) };
      return meant(answered(await live.aside(() => text(shown)), message, say)) === true;
    },
    text: async (question, _flag, signal) => {
      const message = toScreen(mask(question));
      const { text } = await prompts();
      return answered(await live.aside(() => text({ message, ...until(signal) })), message, say);
    },
    choose: async (question, options, _flag, recommended, signal) => {
      const message = toScreen(mask(question));
      const { select } = await prompts();
      const first = recommended === undefined ? {} : { initialValue: recommended };
      // The symbols of the keys: @clack/prompts would name them in English.
      const shown = { message: `${message} (↑/↓ ⏎)`, showInstructions: false };
      const choices = options.map((one) => ({ ...one, label: toScreen(mask(one.label)) }));
      const asked = () => select({ ...shown, options: choices, ...first, ...until(signal) });
      return answered(await live.aside(asked), message, say);
    },
  };
}

function until(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

/** Questions of the engine itself. */
export function prompterOf(io: Pick<CliIo, 'interactive'>, say: Say, live: Live, mask: Mask): Prompter {
  const { choose } = asker(io, say, live, mask);
  return {
    ask: ({ message, options: names, kind, recommended, data }: Question, signal) => {
      const back = data.going_back === true;
      const options = names.map((value) => ({ value, label: labelOf(value, back, { say }) }));
      const { path } = data;
      const all = flagFor(kind, names);
      const one = typeof path === 'string' && `${FLAGS[kind]} ${shown(path)}=${names[0]}`;
      const flag = one && all.startsWith('--') ? say('ask.flag_or_one', { all, one }) : all;
      return choose(message, options, flag, recommended, signal);
    },
  };
}

/** As a shell takes it. */
function shown(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** With its possible values: `--on-upstream ignore|abort`. */
function flagFor(kind: Question['kind'], names: readonly string[]): string {
  return FLAGS[kind].startsWith('--') ? `${FLAGS[kind]} ${names.join('|')}` : FLAGS[kind];
}

const FLAGS: Readonly<Record<Question['kind'], string>> = {
  environment: '--on-environment',
  definition: 'recovery.on_definition_change',
  file_modified: '--on-modified',
  file_deleted: '--on-deleted',
  file_conflict: 'conflicts.resolver',
  upstream: '--on-upstream',
  confirm: '--yes',
};

/** Ctrl-C at a question leaves everything as it is. */
function answered<T>(answer: T, question: string, say: Say): Exclude<T, symbol> {
  if (typeof answer !== 'symbol') return answer as Exclude<T, symbol>;
  throw new EngineError('NEEDS_ANSWER', say('ask.left', { question }), {
    data: { question },
    hint: say('ask.declined'),
  });
}
