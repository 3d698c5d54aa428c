/** The files that changed: how much of each, and by whom. Of many only those in view are drawn; j and k move, as arrows do. */
import { say } from '../../ground/language.ts';
import { Counts } from '../../kit/counts.tsx';
import { By } from '../../kit/hunks.tsx';
import { Rows } from '../../kit/rows.tsx';
import { Text } from '../../kit/text.tsx';
import { plainOf } from '../../lib/shown.ts';
import type { ChangedFile } from '../../shapes/files.ts';
import { isFolded } from './folding.ts';

interface FileListProps {
  readonly files: readonly ChangedFile[];
  readonly chosen: number;
  onChoose(at: number): void;
}

const ROW_HEIGHT = 56;

export function FileList({ files, chosen, onChoose }: FileListProps) {
  return (
    <div class="file-list">
      <Rows
        label={say('page.files.changed')}
        total={files.length}
        rowHeight={ROW_HEIGHT}
        chosen={chosen}
        draw={(at) => {
          const file = files[at];
          return file && <FileRow file={file} />;
        }}
        onChoose={onChoose}
      />
    </div>
  );
}

function FileRow({ file }: { readonly file: ChangedFile }) {
  const cut = file.path.lastIndexOf('/') + 1;
  return (
    <div class="file-row">
      <span class="file-mark" title={say(`page.files.${file.change}`)} data-mark={MARKS[file.change]} />
      <span class="file-path mono" title={plainOf(file.path)}>
        <span class="file-dir">
          <Text of={file.path.slice(0, cut)} />
        </span>
        <span class="file-name">
          <Text of={file.path.slice(cut)} />
        </span>
      </span>
      <span class="seen-by-readers">{say(`page.files.${file.change}`)}</span>
      <Counts added={file.added} removed={file.removed} />
      <span class="file-by">
        {file.by.map((who) => (
          <By key={who} who={who} />
        ))}
        {isFolded(file.path) && <span class="quiet small">{say('page.files.is_folded')}</span>}
      </span>
    </div>
  );
}

const MARKS = { created: 'A', deleted: 'D', modified: 'M' } as const;
