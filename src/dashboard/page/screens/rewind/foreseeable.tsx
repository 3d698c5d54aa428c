/** Two columns: what goes, what stays; below them the files about which somebody has to decide. */
import type { ComponentChildren } from 'preact';
import { language, say } from '../../ground/language.ts';
import { Text } from '../../kit/text.tsx';
import type { Preview } from '../../shapes/files.ts';
import type { Deciding } from '../conflict/deciding.ts';
import type { Inside } from './asked-lines.tsx';
import type { Chosen, Foreseen } from './foreseen.ts';
import { AskedFile, GoingFile, StayingFile } from './planned-file.tsx';

interface ForeseeableProps {
  readonly preview: Preview;
  readonly foreseen: Foreseen;
  readonly chosen: Chosen;
  readonly inside: Inside;
  onChoose(path: string, choice: string): void;
  onFocus(deciding: Deciding): void;
  onDecided(path: string, hunk: readonly string[] | null, text: string | null): void;
}

export function Foreseeable(props: ForeseeableProps) {
  const { preview, foreseen, chosen, inside, onChoose, onFocus, onDecided } = props;
  const { goes, stays, asks, runs, steps, messages, checkpoints } = foreseen;
  const counts = [
    steps > 0 && say('page.rewind.steps', { count: steps }),
    messages > 0 && say('page.rewind.messages', { count: messages }),
    checkpoints > 0 && say('page.rewind.checkpoints', { count: checkpoints }),
  ].filter((text) => text !== false);
  const few = goes.length + stays.length <= FEW;
  return (
    <>
      {asks.length > 0 && (
        <section class="asked">
          <h2>{say('page.rewind.asks', { count: asks.length })}</h2>
          {asks.map((file) => (
            <AskedFile
              key={file.path}
              file={file}
              choice={chosen.get(file.path) ?? file.choice}
              inside={inside}
              onChoose={(choice) => onChoose(file.path, choice)}
              onFocus={onFocus}
              onDecided={(hunk, text) => onDecided(file.path, hunk, text)}
            />
          ))}
        </section>
      )}
      {runs.length > 0 && (
        <p class="notice">
          {say('page.rewind.runs')}{' '}
          <code>
            <Text of={runs.join(', ')} />
          </code>
        </p>
      )}
      <div class="columns">
        <Column title={say(inside.words.goes)} kind="goes">
          {counts.length > 0 && <li class="planned-sum">{listOf(counts)}</li>}
          {goes.map((file) => (
            <GoingFile key={file.path} file={file} inside={inside} open={few} />
          ))}
          {counts.length + goes.length === 0 && (
            <li class="planned-rest quiet">{say('page.rewind.nothing_goes')}</li>
          )}
        </Column>
        <Column title={say('page.rewind.stays')} kind="stays">
          {stays.map((file) => (
            <StayingFile key={file.path} file={file} inside={inside} open={few} />
          ))}
          {preview.conversation?.text && (
            <li class="planned-sum">
              <Text of={preview.conversation.text} />
            </li>
          )}
          {stays.length === 0 && <li class="planned-rest quiet">{say('page.rewind.rest_stays')}</li>}
        </Column>
      </div>
    </>
  );
}

function listOf(parts: readonly string[]): string {
  return new Intl.ListFormat(language.value, { style: 'narrow' }).format(parts);
}

/** Few files are shown with what changes in them. */
const FEW = 4;

function Column({
  title,
  kind,
  children,
}: {
  readonly title: string;
  readonly kind: 'goes' | 'stays';
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`column ${kind}`}>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}
