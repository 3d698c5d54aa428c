/** A file of a rewind: opened, it shows which lines go, and which stay. */
import { useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Details } from '../../kit/details.tsx';
import { Hunks } from '../../kit/hunks.tsx';
import { Text } from '../../kit/text.tsx';
import { plainOf } from '../../lib/shown.ts';
import type { PlannedFile } from '../../shapes/files.ts';
import type { Hunk } from '../../shapes/types.ts';
import { linesIn } from './foreseen.ts';

interface Planned {
  readonly file: PlannedFile;
  /** To begin with. */
  readonly open: boolean;
}

export function GoingFile({ file, open }: Planned) {
  const what = file.result === 'remove' ? say('page.rewind.removed') : say('page.rewind.put_back');
  return <Opened file={file} what={what} hunks={file.own} open={open} />;
}

export function StayingFile({ file, open }: Planned) {
  const what =
    file.result === 'keep' && file.why
      ? say(`page.rewind.why.${reasonOf(file.why)}`)
      : say('page.rewind.yours');
  return <Opened file={file} what={what} hunks={file.others} open={open} />;
}

const REASONS = [
  'already',
  'not_captured',
  'content_missing',
  'content_lost',
  'blocked',
  'link_outside',
  'new',
] as const;
type Reason = (typeof REASONS)[number] | 'other';

function reasonOf(why: string): Reason {
  return REASONS.find((one) => one === why) ?? 'other';
}

/** Others changed it, too: what to do with it. */
export function AskedFile({
  file,
  choice,
  onChoose,
}: {
  readonly file: PlannedFile;
  readonly choice: string | null;
  onChoose(choice: string): void;
}) {
  const name = useId();
  return (
    <div class={`asked-file ${choice === null || choice === 'abort' ? 'open' : ''}`}>
      <h3>
        <code>
          <Text of={file.path} />
        </code>
      </h3>
      <p>
        {say(
          file.doubtful
            ? 'page.rewind.doubtful'
            : file.outcome === 'conflict'
              ? 'page.rewind.conflict'
              : `page.rewind.ask.${file.why === 'deleted' ? 'deleted' : 'modified'}`,
        )}
      </p>
      <fieldset class="choices" aria-label={plainOf(file.path)}>
        {file.choices
          .filter((one) => one !== 'abort')
          .map((one) => (
            <label key={one} class="choice">
              <input type="radio" name={name} checked={choice === one} onChange={() => onChoose(one)} />
              <span>
                {say(`page.choice.${choiceOf(one)}`)}
                {one === file.recommended && <span class="tag">{say('page.recommended')}</span>}
              </span>
            </label>
          ))}
      </fieldset>
      <Details title={say('page.rewind.both')} count={null}>
        <h4>{say('page.rewind.own_lines')}</h4>
        <Contents file={file} hunks={file.own} />
        <h4>{say('page.rewind.others_lines')}</h4>
        <Contents file={file} hunks={file.others} />
      </Details>
    </div>
  );
}

const CHOICES = ['use_current', 'use_checkpoint', 'merge', 'restore', 'skip'] as const;
type Choice = (typeof CHOICES)[number];

function choiceOf(given: string): Choice {
  return CHOICES.find((one) => one === given) ?? 'use_current';
}

function Opened({
  file,
  open,
  what,
  hunks,
}: Planned & {
  readonly what: string;
  readonly hunks: readonly Hunk[] | null;
}) {
  const count = hunks && hunks.length > 0 ? linesIn(hunks) : null;
  return (
    <li>
      <Details
        title={
          <>
            <code>
              <Text of={file.path} />
            </code>
            <span class="quiet">{what}</span>
          </>
        }
        count={count}
        open={open && count !== null}
      >
        <Contents file={file} hunks={hunks} />
      </Details>
    </li>
  );
}

function Contents({ file, hunks }: { readonly file: PlannedFile; readonly hunks: readonly Hunk[] | null }) {
  if (file.binary) return <p class="quiet">{say('page.files.binary')}</p>;
  if (file.too_large) return <p class="quiet">{say('page.files.too_large')}</p>;
  if (hunks === null || hunks.length === 0) return <p class="quiet">{say('page.files.no_lines')}</p>;
  return <Hunks hunks={hunks} />;
}
