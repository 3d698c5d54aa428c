/** What was said, the newest last; earlier messages are fetched when one wants them. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { moment } from '../../ground/clock.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Empty, Problem, Waits } from '../../kit/notes.tsx';
import { call } from '../../net/api.ts';
import type { Message, Conversation as Said } from '../../shapes/types.ts';
import { withEarlier, withNewest } from '../../state/said.ts';
import { mayCall } from '../../state/session.ts';
import { thread } from '../../state/task.ts';
import { MessageItem } from './message.tsx';

const PAGE = 50;

export function Conversation({ task }: { readonly task: string }) {
  const messages = useSignal<readonly Message[] | null>(null);
  const failure = useSignal<unknown>(null);
  const turn = useRef(0);
  const first = messages.value?.[0]?.index ?? 0;
  const position = thread.value?.position;
  const load = async (take: (found: Said) => void, options: object) => {
    turn.current += 1;
    const own = turn.current;
    try {
      const found = await call<Said>('conversation', { task }, { ...options });
      if (own !== turn.current) return;
      take(found);
      failure.value = null;
    } catch (error) {
      if (own === turn.current) failure.value = error;
    }
  };
  const newest = () =>
    load(
      (found) => {
        messages.value = withNewest(messages.peek() ?? [], found.messages);
      },
      { limit: PAGE },
    );
  const earlier = () => {
    const from = Math.max(0, first - PAGE);
    return load(
      (found) => {
        messages.value = withEarlier(messages.peek() ?? [], found.messages);
      },
      { from, limit: first - from },
    );
  };
  useEffect(() => {
    if (mayCall('conversation')) void newest();
    else messages.value = [];
  }, [task, position]);
  if (messages.value === null)
    return failure.value === null ? <Waits /> : <Problem error={failure.value} again={newest} />;
  if (messages.value.length === 0)
    return <Empty title={say('page.nothing_said')} text={say('page.nothing_said.text')} />;
  return (
    <div class="conversation">
      {failure.value !== null && <Problem error={failure.value} again={newest} />}
      {first > 0 && <Button onPress={earlier}>{say('page.earlier', { count: first })}</Button>}
      <ol>
        {messages.value.map((message) => (
          <MessageItem key={message.seq} message={message} time={moment(message.at)} />
        ))}
      </ol>
    </div>
  );
}
