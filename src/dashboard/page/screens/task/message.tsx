/** One message: what was said, what a tool was given and returned, what was decided and why. */
import { duration } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Long } from '../../kit/long.tsx';
import { Prose } from '../../kit/prose.tsx';
import { Text } from '../../kit/text.tsx';
import { valueText } from '../../kit/value.tsx';
import { classes } from '../../lib/classes.ts';
import { givenOf } from '../../lib/shown.ts';
import type { Message } from '../../shapes/types.ts';

export function MessageItem({ message, time }: { readonly message: Message; readonly time: string }) {
  const { role, tool } = message;
  return (
    <li class={classes('said', `by-${role}`)}>
      <header>
        <strong>
          {tool ? (
            <code>
              <Text of={tool.name} />
            </code>
          ) : (
            <Text of={roleOf(message)} />
          )}
        </strong>
        {tool && tool.status !== 'success' && (
          <span class="tag bad">{say(`page.was.${tool.status === 'unknown' ? 'unknown' : 'failed'}`)}</span>
        )}
        <time class="quiet small">{time}</time>
        {tool?.ms != null && <span class="quiet small">{duration(tool.ms)}</span>}
      </header>
      {tool ? <Called message={message} /> : role === 'decision' ? <Decided message={message} /> : null}
      {!tool && role !== 'decision' && <Said message={message} />}
      {message.truncated && <p class="quiet small">{say('page.truncated')}</p>}
    </li>
  );
}

function Said({ message: { text, content } }: { readonly message: Message }) {
  return text === null ? <Long text={valueText(content)} /> : <Prose text={text} />;
}

function Called({ message: { content, text } }: { readonly message: Message }) {
  const { input, output } = (content ?? {}) as { input?: unknown; output?: unknown };
  const given = input === null || input === undefined ? '' : givenOf(JSON.stringify(input));
  const said = text ?? (output === null || output === undefined ? '' : valueText(output));
  return (
    <>
      {given !== '' && <Long text={given} />}
      {said !== '' && <Long text={said} quiet />}
    </>
  );
}

function Decided({ message: { text, content } }: { readonly message: Message }) {
  const { why = null, alternatives = [] } = (content ?? {}) as {
    why?: string | null;
    alternatives?: readonly string[];
  };
  return (
    <>
      <Prose text={text ?? ''} />
      {why !== null && (
        <p class="quiet">
          <Text of={say('page.because', { why })} />
        </p>
      )}
      {alternatives.length > 0 && (
        <p class="quiet">
          {say('page.instead_of')} <Text of={alternatives.join(' · ')} />
        </p>
      )}
    </>
  );
}

function roleOf({ role, agent }: Message): string {
  if (role === 'user' || role === 'tool' || role === 'system' || role === 'decision')
    return say(`page.role.${role}`);
  return agent ?? say('page.role.assistant');
}
