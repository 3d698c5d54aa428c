/** The changes inside a file, under each other or side by side. n and p go to the next and the previous one. */
import { useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Hunks } from '../../kit/hunks.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Text } from '../../kit/text.tsx';
import { call } from '../../net/api.ts';
import type { ChangedFile, Diff } from '../../shapes/files.ts';
import { SplitHunks } from './split.tsx';

export type Layout = 'unified' | 'split';

interface FileChangesProps {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly file: ChangedFile;
  readonly layout: Layout;
}

export function FileChanges({ task, from, to, file, layout }: FileChangesProps) {
  const element = useRef<HTMLElement>(null);
  const loaded = useLoaded(
    async (abort) => {
      const found = await call<Diff>('checkpoints diff', { from, to }, { task, path: [file.path] }, abort);
      return found.files.find(({ path }) => path === file.path) ?? file;
    },
    [file],
  );
  const jump = (event: KeyboardEvent) => {
    const by = event.key === 'n' ? 1 : event.key === 'p' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const hunks = [...element.current!.querySelectorAll<HTMLElement>('.diff')];
    const at = hunks.indexOf(document.activeElement as HTMLElement);
    hunks[Math.min(hunks.length - 1, Math.max(0, at + by))]?.focus();
  };
  return (
    <section class="file-changes" ref={element} aria-label={file.path} onKeyDown={jump}>
      <h3 class="mono">
        <Text of={file.path} />
      </h3>
      {file.mode && <p class="quiet small">{say('page.files.mode', file.mode)}</p>}
      <Show of={loaded}>
        {({ binary, too_large, hunks }) => {
          if (binary) return <p class="quiet">{say('page.files.binary')}</p>;
          if (too_large || hunks === null) return <p class="quiet">{say('page.files.too_large')}</p>;
          if (hunks.length === 0) return <p class="quiet">{say('page.files.no_lines')}</p>;
          return layout === 'split' ? <SplitHunks hunks={hunks} /> : <Hunks hunks={hunks} />;
        }}
      </Show>
    </section>
  );
}
