/** What was said, the newest last; earlier messages are fetched when one wants them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Waits } from '../../kit/notes.tsx';
import { Prose } from '../../kit/prose.tsx';
import { Text } from '../../kit/text.tsx';
import { Value } from '../../kit/value.tsx';
import { classes } from '../../lib/classes.ts';
import { call } from '../../net/api.ts';
import type { Message, Conversation as Said } from '../../shapes/types.ts';
import { mayCall } from '../../state/session.ts';
import { thread } from '../../state/task.ts';

const PAGE = 50;

export function Conversation({ task }: { readonly task: string }) {
  const messages = useSignal<readonly Message[] | null>(null);
  const failure = useSignal<unknown>(null);
  const first = messages.value?.[0]?.index ?? 0;
  const position = thread.value?.position;
  const load = async (from: number | undefined) => {
    try {
      const { messages: found, total } = await call<Said>('conversation', { task }, { from, limit: PAGE });
      const newest = from === undefined && found.length < total && found[0]?.index === 0;
      // Without a first one the server may begin at the oldest: the newest are wanted.
      const page = newest
        ? (await call<Said>('conversation', { task }, { from: Math.max(0, total - PAGE), limit: PAGE }))
            .messages
        : found;
      const known = new Map((messages.peek() ?? []).map((one) => [one.index, one]));
      for (const one of page) known.set(one.index, one);
      messages.value = [...known.values()].sort((a, b) => a.index - b.index);
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => {
    if (mayCall('conversation')) void load(undefined);
    else messages.value = [];
  }, [task, position]);
  if (failure.value !== null) return <Problem error={failure.value} again={() => load(undefined)} />;
  if (messages.value === null) return <Waits />;
  if (messages.value.length === 0)
    return <Empty title={say('page.nothing_said')} text={say('page.nothing_said.text')} />;
  return (
    <div class="conversation">
      {first > 0 && (
        <Button onPress={() => load(Math.max(0, first - PAGE))}>
          {say('page.earlier', { count: first })}
        </Button>
      )}
      <ol>
        {messages.value.map((message) => (
          <li key={message.index} class={classes('said', `by-${message.role}`)}>
            <header>
              <strong>{roleOf(message)}</strong>
              {message.tool && (
                <code>
                  <Text of={message.tool} />
                </code>
              )}
              <time class="quiet small">{moment(message.at)}</time>
            </header>
            {message.text === null ? <Value of={message.content} /> : <Prose text={message.text} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

function roleOf({ role, agent }: Message): string {
  if (role === 'user' || role === 'tool' || role === 'system') return say(`page.role.${role}`);
  return agent ?? say('page.role.assistant');
}
