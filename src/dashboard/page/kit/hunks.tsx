/** What changed in a file: lines with their numbers, a sign and a bar for added and removed, and whose change it was. */
import { say } from '../ground/language.ts';
import type { Hunk } from '../shapes/types.ts';
import { numbered } from './numbered.ts';
import { Text } from './text.tsx';

export function Hunks({ hunks }: { readonly hunks: readonly Hunk[] }) {
  return (
    <>
      {hunks.map((hunk) => (
        <HunkView key={`${hunk.before.start}-${hunk.after.start}`} hunk={hunk} />
      ))}
    </>
  );
}

function HunkView({ hunk }: { readonly hunk: Hunk }) {
  return (
    <section class="diff" aria-label={say('page.hunk', { line: hunk.after.start })}>
      <div class="diff-head">
        <span>
          @@ {hunk.before.start} → {hunk.after.start} @@
        </span>
        {hunk.by && <By who={hunk.by} />}
      </div>
      {numbered(hunk).map(({ before, after, kind, text }, at) => (
        <div key={at} class={`diff-line ${kind}`}>
          <span>{before}</span>
          <span>{after}</span>
          <span>{kind === 'add' ? '+' : kind === 'remove' ? '−' : ''}</span>
          <span>
            <Text of={text} />
          </span>
        </div>
      ))}
    </section>
  );
}

/** Who changed something. */
export function By({ who }: { readonly who: string }) {
  return <span class="tag">{byText(who)}</span>;
}

export function byText(who: string): string {
  if (who === 'task' || who === 'shell' || who === 'you') return say(`page.by.${who}`);
  const [kind, name = ''] = who.split(/:(.*)/s);
  if (kind === 'agent') return name;
  return kind === 'task' ? say('page.by.other', { task: name.slice(-6) }) : who;
}
