/** A file of a rewind: opened, it shows which lines go, and which stay. */
import { useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Details } from '../../kit/details.tsx';
import { Hunks } from '../../kit/hunks.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { plainOf } from '../../lib/shown.ts';
import type { PlannedFile } from '../../shapes/files.ts';
import { AskedLines, type Inside } from './asked-lines.tsx';
import { BY_LINES } from './foreseen.ts';
import type { Words } from './words.ts';

interface Planned {
  readonly file: PlannedFile;
  readonly inside: Inside;
  /** To begin with. */
  readonly open: boolean;
}

export function GoingFile({ file, inside, open }: Planned) {
  const what = file.result === 'remove' ? say('page.rewind.removed') : say(inside.words.put_back);
  return <Opened file={file} inside={inside} what={what} side="own" open={open} />;
}

export function StayingFile({ file, inside, open }: Planned) {
  const what =
    file.result === 'keep' && file.why
      ? say(`page.rewind.why.${reasonOf(file.why)}`)
      : say('page.rewind.yours');
  return <Opened file={file} inside={inside} what={what} side="others" open={open} />;
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
  inside,
  choice,
  onChoose,
  onFocus,
  onDecided,
}: {
  readonly file: PlannedFile;
  readonly inside: Inside;
  readonly choice: string | null;
  onChoose(choice: string): void;
} & Pick<Parameters<typeof AskedLines>[0], 'onFocus' | 'onDecided'>) {
  const name = useId();
  const isOpen = choice === null || choice === 'abort' || (choice === BY_LINES && file.outcome !== 'clean');
  // A file with places to decide about: while it is in conflict, and once they are decided.
  const isConflict = file.outcome === 'conflict' || choice === BY_LINES || file.merges === false;
  const hasRegions = isConflict && !file.doubtful;
  return (
    <div class={`asked-file ${isOpen ? 'open' : ''}`}>
      <h3>
        <code>
          <Text of={file.path} />
        </code>
      </h3>
      <p>
        {say(
          file.doubtful
            ? 'page.rewind.doubtful'
            : hasRegions
              ? inside.words.conflict
              : file.why === 'deleted'
                ? inside.words.deleted
                : 'page.rewind.ask.modified',
        )}
      </p>
      <fieldset class="choices" aria-label={plainOf(file.path)}>
        {[...(hasRegions ? [BY_LINES] : []), ...file.choices]
          .filter((one) => one !== 'abort' && !(hasRegions && one === 'merge'))
          .map((one) => (
            <label key={one} class="choice">
              <input type="radio" name={name} checked={choice === one} onChange={() => onChoose(one)} />
              <span>
                {say(wordOf(one, inside.words))}
                {one === file.recommended && <span class="tag">{say('page.recommended')}</span>}
              </span>
            </label>
          ))}
      </fieldset>
      {choice === BY_LINES ? (
        <AskedLines {...inside} path={file.path} before={NONE} onFocus={onFocus} onDecided={onDecided} />
      ) : (
        <Details title={say('page.rewind.both')} count={null}>
          <h4>{say(inside.words.own_lines)}</h4>
          <Contents file={file} inside={inside} side="own" />
          <h4>{say('page.rewind.others_lines')}</h4>
          <Contents file={file} inside={inside} side="others" />
        </Details>
      )}
    </div>
  );
}

const NONE: readonly string[] = [];
const CHOICES = [BY_LINES, 'use_current', 'use_checkpoint', 'merge', 'restore', 'skip'] as const;
type Choice = (typeof CHOICES)[number];

function choiceOf(given: string): Choice {
  return CHOICES.find((one) => one === given) ?? 'use_current';
}

function wordOf(given: string, words: Words) {
  const choice = choiceOf(given);
  return choice === 'use_checkpoint' || choice === 'merge'
    ? words[choice]
    : (`page.choice.${choice}` as const);
}

function Opened({
  file,
  inside,
  open,
  what,
  side,
}: Planned & {
  readonly what: string;
  readonly side: Side;
}) {
  const { lines } = file;
  const count = lines && side === 'own' && lines.added + lines.removed > 0 ? lines : null;
  const isShown = count !== null || (side === 'others' && (lines?.stay ?? 0) > 0);
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
        open={open && isShown}
      >
        <Contents file={file} inside={inside} side={side} />
      </Details>
    </li>
  );
}

type Side = 'own' | 'others';

/** Its lines are asked for when they are looked at. */
function Contents({
  file,
  inside,
  side,
}: {
  readonly file: PlannedFile;
  readonly inside: Inside;
  readonly side: Side;
}) {
  const { path, before_hash, choice, outcome } = file;
  const loaded = useLoaded((abort) => inside.load(path, [], abort), [path, before_hash, choice, outcome]);
  return (
    <Show of={loaded} lines={3}>
      {(whole) => {
        const { binary = false, too_large = false } = whole ?? {};
        const hunks = whole?.[side] ?? [];
        if (binary) return <p class="quiet">{say('page.files.binary')}</p>;
        if (too_large) return <p class="quiet">{say('page.files.too_large')}</p>;
        if (hunks.length === 0) return <p class="quiet">{say('page.files.no_lines')}</p>;
        const lines = say(side === 'own' ? inside.words.own_lines : 'page.rewind.others_lines');
        return <Hunks hunks={hunks} label={`${plainOf(path)}: ${lines}`} />;
      }}
    </Show>
  );
}
