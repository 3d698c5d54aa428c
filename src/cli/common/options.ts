/** Options that every command takes. */
import type { Options } from '../../verbs/kit/verb.ts';
import { asLanguage, LANGUAGES } from '../../verbs/text/choose.ts';

export const COMMON: Options = {
  json: { about: 'option.json' },
  project: { value: 'dir', about: 'option.project' },
  lang: {
    value: 'language',
    choices: LANGUAGES,
    accepts: (name) => asLanguage(name) !== undefined,
    about: 'option.lang',
  },
  reveal: { about: 'option.reveal' },
  debug: { about: 'option.debug' },
  help: { about: 'option.help', short: 'h' },
  version: { about: 'option.version', short: 'V' },
};
