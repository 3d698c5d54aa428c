/** Hooks that wait for a host through the relay: a host that hangs holds the client up once. */
import { answerLimit } from '../../agents/patience.ts';
import { isObject } from '../../system/json.ts';
import type { Patience } from '../../system/process/relay.ts';
import { languageOf, speak } from '../../verbs/text/choose.ts';

/** Other tools may ask a person, who takes their time. */
export function hookPatience(env: NodeJS.ProcessEnv): Patience {
  return {
    limitOf(method, params) {
      if (method !== 'tools/call' || !isObject(params) || params.name !== 'hook') return null;
      const { hook_event_name } = isObject(params.arguments) ? params.arguments : {};
      return answerLimit(hook_event_name === 'UserPromptSubmit');
    },
    async instead(first) {
      const answer = first ? { systemMessage: (await speak(languageOf(env)))('agents.hung') } : {};
      return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
    },
  };
}
