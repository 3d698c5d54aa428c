/** Whether everything that is stored is whole. Looked at when somebody asks: it reads all of it. */
import { useSignal } from '@preact/signals';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Command, Problem } from '../../kit/notes.tsx';
import { Text } from '../../kit/text.tsx';
import { call } from '../../net/api.ts';
import type { Examined } from '../../shapes/care.ts';

export function Health() {
  const found = useSignal<Examined | null>(null);
  const failure = useSignal<unknown>(null);
  const look = async () => {
    try {
      found.value = await call<Examined>('doctor');
      failure.value = null;
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <section>
      <h2>{say('page.health')}</h2>
      <p class="quiet">{say('page.health.text')}</p>
      <Button onPress={look}>{say('page.health.look')}</Button>
      <div role="status">
        {failure.value !== null && <Problem error={failure.value} again={look} />}
        {found.value && <Found found={found.value} />}
      </div>
    </section>
  );
}

function Found({ found }: { readonly found: Examined }) {
  const { healthy, checked, problems, without_key } = found;
  return (
    <>
      <p class="large">
        {healthy
          ? say('page.health.whole', { ...checked })
          : say('page.health.problems', { count: problems.length })}
      </p>
      {without_key !== null && (
        <p class="notice">
          <Text of={without_key} />
        </p>
      )}
      {problems.length > 0 && (
        <>
          <ul class="bullets">
            {problems.map(({ message, where }, at) => (
              <li key={at}>
                <Text of={message} />{' '}
                <code class="quiet">
                  <Text of={where} />
                </code>
              </li>
            ))}
          </ul>
          <Command line="npx vibe-engine doctor --repair" />
        </>
      )}
    </>
  );
}
