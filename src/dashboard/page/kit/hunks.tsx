/**
 * What changed in a file: lines with their numbers, a sign and a bar for added and removed, and whose change it was. Of many
 * lines only those in view are drawn.
 */
import { useEffect, useRef } from 'preact/hooks';
import { type Layout, lineCount, type Row, rowsOf } from '../diff/rows.ts';
import { say } from '../ground/language.ts';
import type { Hunk } from '../shapes/types.ts';
import { type Jump, LongHunks } from './long-hunks.tsx';
import { MadeBySteps } from './made-by.tsx';
import { Scrolls } from './scrolls.tsx';
import { SplitLine } from './split.tsx';
import { Text } from './text.tsx';

interface HunksProps {
  readonly hunks: readonly Hunk[];
  readonly layout?: Layout;
  /** Where several are shown. */
  readonly label?: string;
  readonly jump?: Jump | undefined;
}

/** More lines than this are drawn as far as they are in view. */
const MANY = 200;

export function Hunks({ hunks, layout = 'unified', label, jump }: HunksProps) {
  const isLong = lineCount(hunks) > MANY;
  return isLong ? (
    <LongHunks hunks={hunks} layout={layout} draw={drawRow} jump={jump} />
  ) : (
    <ShortHunks hunks={hunks} layout={layout} {...(label && { label })} jump={jump} />
  );
}

/** One part that scrolls sideways, which keys can reach. */
function ShortHunks({ hunks, layout = 'unified', label: own, jump }: HunksProps) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!jump) return;
    jump.current = (by) => {
      const all = [...element.current!.querySelectorAll<HTMLElement>('.diff')];
      const at = all.indexOf(document.activeElement as HTMLElement);
      all[Math.min(all.length - 1, Math.max(0, at + by))]?.focus();
    };
  });
  return (
    <Scrolls of={element} class="diffs" label={own ?? say('page.files.changes')}>
      {hunks.map((hunk) => (
        <section
          key={`${hunk.before.start}-${hunk.after.start}`}
          class={`diff ${layout}`}
          tabIndex={-1}
          aria-label={nameOf(hunk, own)}
        >
          {rowsOf([hunk], layout).map((row, at) => drawRow(row, at))}
        </section>
      ))}
    </Scrolls>
  );
}

/** Of several files the places are told apart. */
function nameOf(hunk: Hunk, file: string | undefined): string {
  const place = say('page.hunk', { line: lineOf(hunk) });
  return file === undefined ? place : `${file}: ${place}`;
}

function drawRow(row: Row, key: number) {
  if (row.kind === 'head')
    return (
      <div key={key} class="diff-head">
        <div>
          <span>{say('page.hunk_at', { line: lineOf(row.hunk) })}</span>
          {row.hunk.by && <By who={row.hunk.by} />}
          {row.hunk.steps && <MadeBySteps steps={row.hunk.steps} />}
        </div>
      </div>
    );
  if (row.kind === 'pair') return <SplitLine key={key} pair={row.pair} />;
  const { before, after, kind, text } = row.line;
  return (
    <div key={key} class={`diff-line ${kind}`}>
      <span>{before}</span>
      <span>{after}</span>
      <span class="diff-sign" />
      <span>
        <Text of={text} />
      </span>
    </div>
  );
}

/** Where it is now; where nothing is left of it, where it was. */
function lineOf({ before, after }: Hunk): number {
  return after.count > 0 ? after.start : before.start;
}

/** Who changed something. */
export function By({ who }: { readonly who: string }) {
  return <span class="tag">{byText(who)}</span>;
}

function byText(who: string): string {
  if (who === 'task' || who === 'shell' || who === 'you' || who === 'unknown') return say(`page.by.${who}`);
  const [kind, name = ''] = who.split(/:(.*)/s);
  if (kind === 'agent') return name;
  return kind === 'task' ? say('page.by.other', { task: name.slice(-6) }) : who;
}
