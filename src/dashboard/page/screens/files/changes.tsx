/** The changes inside a file, under each other or side by side. Those of files that programs write are folded. */
import { useSignal } from '@preact/signals';
import type { Layout } from '../../diff/rows.ts';
import { say } from '../../ground/language.ts';
import { Button } from '../../kit/button.tsx';
import { Hunks } from '../../kit/hunks.tsx';
import { Show, useLoaded } from '../../kit/loaded.tsx';
import type { Jump } from '../../kit/long-hunks.tsx';
import { Text } from '../../kit/text.tsx';
import { plainOf } from '../../lib/shown.ts';
import { call } from '../../net/api.ts';
import type { ChangedFile, Diff } from '../../shapes/files.ts';
import { isFolded } from './folding.ts';

interface FileChangesProps {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly file: ChangedFile;
  readonly layout: Layout;
  readonly jump: Jump;
}

export function FileChanges(props: FileChangesProps) {
  const { file } = props;
  const folded = useSignal(isFolded(file.path));
  return (
    <section class="file-changes" aria-label={plainOf(file.path)}>
      <h2 class="mono">
        <Text of={file.path} />
      </h2>
      {file.mode && <p class="quiet small">{say('page.files.mode', file.mode)}</p>}
      {folded.value ? (
        <p class="folded">
          {say('page.files.folded', { lines: (file.added ?? 0) + (file.removed ?? 0) })}
          <Button
            onPress={() => {
              folded.value = false;
            }}
          >
            {say('page.files.unfold')}
          </Button>
        </p>
      ) : (
        <Content {...props} />
      )}
    </section>
  );
}

function Content({ task, from, to, file, layout, jump }: FileChangesProps) {
  const loaded = useLoaded(
    async (abort) => {
      const found = await call<Diff>('checkpoints diff', { from, to }, { task, path: [file.path] }, abort);
      return found.files.find(({ path }) => path === file.path) ?? file;
    },
    [file],
  );
  return (
    <Show of={loaded}>
      {({ binary, too_large, hunks }) => {
        if (binary) return <p class="quiet">{say('page.files.binary')}</p>;
        if (too_large || hunks === null) return <p class="quiet">{say('page.files.too_large')}</p>;
        if (hunks.length === 0) return <p class="quiet">{say('page.files.no_lines')}</p>;
        return <Hunks hunks={hunks} layout={layout} jump={jump} />;
      }}
    </Show>
  );
}
