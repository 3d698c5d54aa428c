/** The files that changed: how much of each, and by whom. j and k move, as arrows do. */
import { useRef } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Counts } from '../../kit/counts.tsx';
import { By } from '../../kit/hunks.tsx';
import { Text } from '../../kit/text.tsx';
import type { ChangedFile } from '../../shapes/files.ts';

interface FileListProps {
  readonly files: readonly ChangedFile[];
  readonly chosen: string | null;
  onChoose(path: string): void;
}

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export function FileList({ files, chosen, onChoose }: FileListProps) {
  const list = useRef<HTMLUListElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const at = files.findIndex(({ path }) => path === chosen);
    const next = Math.min(files.length - 1, Math.max(0, at + by));
    onChoose(files[next]!.path);
    list.current!.querySelectorAll('button')[next]!.focus();
  };
  return (
    <ul class="file-list" ref={list} aria-label={say('page.files.changed')}>
      {files.map((file) => (
        <li key={file.path}>
          <button
            type="button"
            class="file-row"
            aria-current={file.path === chosen}
            onClick={() => onChoose(file.path)}
            onKeyDown={move}
          >
            <span
              class={`file-mark ${file.change}`}
              title={say(`page.files.${file.change}`)}
              aria-hidden="true"
            >
              {MARKS[file.change]}
            </span>
            <span class="file-path mono">
              <Text of={file.path} />
            </span>
            <span class="seen-by-readers">{say(`page.files.${file.change}`)}</span>
            <Counts added={file.added} removed={file.removed} />
            <span class="file-by">
              {file.by.map((who) => (
                <By key={who} who={who} />
              ))}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const MARKS = { created: 'A', deleted: 'D', modified: 'M' } as const;
