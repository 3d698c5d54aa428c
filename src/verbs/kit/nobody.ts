/** If nobody can be asked, every question is an error that names the flag which answers it. */
import { EngineError } from '../../errors.ts';
import { tidy } from '../format/width.ts';
import type { Say } from '../text/choose.ts';
import type { Ask } from './verb.ts';

/** `show`: the question as it is read. */
export function askNobody(say: Say, show: (question: string) => string = (question) => question): Ask {
  const refuse = async (question: string, flag: string): Promise<never> => {
    const [first, ...more] = show(question).split('\n');
    const message = [say('ask.nobody', { question: first! }), ...more.map(tidy)].join('\n');
    throw new EngineError('NEEDS_ANSWER', message, {
      data: { question, flag },
      hint: say('ask.flag', { flag }),
    });
  };
  return { confirm: refuse, text: refuse, choose: (question, _options, flag) => refuse(question, flag) };
}
