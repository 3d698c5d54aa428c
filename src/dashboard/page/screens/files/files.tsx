/** What changed between two points of a task, and by whom. The content of a file is fetched when it is opened. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Layout } from '../../diff/rows.ts';
import { say } from '../../ground/language.ts';
import { Counts } from '../../kit/counts.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import { Empty } from '../../kit/notes.tsx';
import { call } from '../../net/api.ts';
import type { ChangedFile, CheckpointRow, Diff } from '../../shapes/files.ts';
import { journalEnd } from '../../state/live.ts';
import { FileChanges } from './changes.tsx';
import { firstOf } from './folding.ts';
import { useFileKeys } from './keys.ts';
import { FileList } from './list.tsx';
import { Points } from './points.tsx';

export function FilesView({ task, from = 'start' }: { readonly task: string; readonly from?: string }) {
  const between = useSignal({ from, to: 'now' });
  const chosen = useSignal<string | null>(null);
  const layout = useSignal<Layout>('unified');
  const position = journalEnd.value?.task === task ? journalEnd.value.position : 0;
  const seen = useSignal(position);
  const grown = seen.value;
  const jump = useRef<((by: 1 | -1) => void) | null>(null);
  const points = useLoaded(
    async () =>
      (await call<{ checkpoints: readonly CheckpointRow[] }>('checkpoints list', { task })).checkpoints,
    [task, grown],
  );
  const { from: a, to: b } = between.value;
  // What lies between two checkpoints never changes.
  const diff = useLoaded(
    (abort) => call<Diff>('checkpoints diff', { from: a, to: b }, { task }, abort),
    [task, a, b, b === 'now' ? grown : 0],
  );
  const isBusy = points.stale || diff.stale;
  useEffect(() => {
    if (position === grown || isBusy) return;
    const timer = setTimeout(() => {
      seen.value = position;
    }, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [position, grown, isBusy]);
  const files = diff.value?.files ?? [];
  useEffect(() => {
    if (!files.some(({ path }) => path === chosen.peek())) chosen.value = firstOf(files)?.path ?? null;
  }, [diff.value]);
  const at = files.findIndex(({ path }) => path === chosen.value);
  const choose = (to: number) => {
    chosen.value = files[Math.min(files.length - 1, Math.max(0, to))]?.path ?? null;
  };
  useFileKeys({
    j: () => choose(at + 1),
    k: () => choose(at - 1),
    n: () => jump.current?.(1),
    p: () => jump.current?.(-1),
  });
  return (
    <div class="files">
      <Points
        checkpoints={points.value ?? []}
        from={a}
        to={b}
        onChange={(next) => {
          between.value = next;
        }}
      />
      <Show of={diff}>
        {(found) => {
          if (!found.files_known) return <Empty title={say('page.files.unknown')} />;
          if (found.files.length === 0) return <Empty title={say('page.files.none')} />;
          const file = found.files.find(({ path }) => path === chosen.value);
          return (
            <>
              <Summary
                files={found.files}
                layout={layout.value}
                onLayout={(to) => {
                  layout.value = to;
                }}
              />
              <div class="files-both">
                <FileList files={found.files} chosen={at} onChoose={choose} />
                {file && (
                  <FileChanges
                    key={`${a} ${b} ${file.path}`}
                    task={task}
                    from={a}
                    to={b}
                    file={file}
                    layout={layout.value}
                    jump={jump}
                  />
                )}
              </div>
            </>
          );
        }}
      </Show>
    </div>
  );
}

/** A task that runs changes more often than anybody can read. */
const LOOK_EVERY_MS = 2_000;

/** The tab counts these alone. */
const isOfTask = (who: string): boolean => who !== 'you' && who !== 'unknown' && !who.startsWith('task:');

const LAYOUTS: readonly Layout[] = ['unified', 'split'];

function Summary({
  files,
  layout,
  onLayout,
}: {
  readonly files: readonly ChangedFile[];
  readonly layout: Layout;
  onLayout(to: Layout): void;
}) {
  const sum = (of: 'added' | 'removed') => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  const own = files.filter(({ by }) => by.some(isOfTask)).length;
  return (
    <div class="files-summary">
      <p>
        {own === files.length
          ? say('page.files.count', { count: own })
          : say('page.files.count_own', { count: files.length, own })}{' '}
        <Counts added={sum('added')} removed={sum('removed')} />
      </p>
      <fieldset class="chips wide-only" aria-label={say('page.files.layout')}>
        {LAYOUTS.map((one) => (
          <button
            key={one}
            type="button"
            class="chip"
            aria-pressed={layout === one}
            onClick={() => onLayout(one)}
          >
            {say(`page.files.${one}`)}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
