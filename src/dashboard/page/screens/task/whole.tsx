/** The entry of a row, fetched when it is looked at: what went in, what came out, what went wrong, which files it changed. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Long } from '../../kit/long.tsx';
import { Prose } from '../../kit/prose.tsx';
import { Text } from '../../kit/text.tsx';
import { valueText } from '../../kit/value.tsx';
import { givenOf, withShortIds } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { Entry } from '../../shapes/types.ts';
import { entryParts } from '../../state/entry.ts';
import { mayCall } from '../../state/session.ts';

interface WholeProps {
  readonly task: string;
  readonly seq: number;
  /** Until it is there. */
  readonly text: string | null;
}

export function Whole({ task, seq, text }: WholeProps) {
  const entry = useSignal<Entry | null>(null);
  useEffect(() => {
    if (!mayCall('entry')) return;
    const abort = new AbortController();
    call<Entry>('entry', { task, seq: String(seq) }, {}, abort.signal).then(
      (found) => {
        entry.value = found;
      },
      () => {}, // The line it was told in stays.
    );
    return () => abort.abort();
  }, []);
  if (entry.value === null) return text === null ? null : <Long text={text} />;
  return <Parts entry={entry.value} />;
}

function Parts({ entry }: { readonly entry: Entry }) {
  const { input, output, error, rest } = entryParts(entry);
  const files = entry.files ?? [];
  const names = Object.keys(rest);
  return (
    <>
      {error && (
        <Part name={say('page.part.error')}>
          <Long text={error.message} />
          {error.more !== null && (
            <details>
              <summary>{say('page.part.stack')}</summary>
              <Long text={error.more} quiet />
            </details>
          )}
        </Part>
      )}
      {input !== null && (
        <Part name={say('page.part.input')}>
          <Long text={typeof input === 'string' ? input : spread(givenOf(JSON.stringify(input)), input)} />
        </Part>
      )}
      {output !== null && (
        <Part name={say(entry.kind === 'message' ? 'page.part.said' : 'page.part.output')}>
          {entry.kind === 'message' && typeof output === 'string' ? (
            <Prose text={output} />
          ) : (
            <Long text={valueText(output)} />
          )}
        </Part>
      )}
      {files.length > 0 && (
        <Part name={say('page.part.files', { count: files.length })}>
          <ul class="paths">
            {files.slice(0, MOST_FILES).map((path) => (
              <li key={path}>
                <code>
                  <Text of={path} />
                </code>
              </li>
            ))}
            {files.length > MOST_FILES && (
              <li class="quiet">{say('page.part.more_files', { count: files.length - MOST_FILES })}</li>
            )}
          </ul>
        </Part>
      )}
      {names.length > 0 && (
        <Part name={say('page.part.rest')}>
          <dl class="facts">
            {names.map((name) => (
              <div key={name}>
                <dt>
                  <Text of={name} />
                </dt>
                <dd>
                  <Text of={withShortIds(valueText(rest[name]))} />
                </dd>
              </div>
            ))}
          </dl>
        </Part>
      )}
      {entry.truncated && <p class="quiet small">{say('page.truncated')}</p>}
    </>
  );
}

const MOST_FILES = 20;

/** One text alone as it is; everything else line by line. */
function spread(given: string, input: unknown): string {
  return given.startsWith('{') || given.startsWith('[') ? valueText(input) : given;
}

function Part({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <section class="part">
      <h3>{name}</h3>
      {children}
    </section>
  );
}
