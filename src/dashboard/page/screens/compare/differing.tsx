/** How the files of two tries differ: the same in both, only in one, different in both. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { say } from '../../ground/language.ts';
import { Hunks } from '../../kit/hunks.tsx';
import { Chevron } from '../../kit/icons.tsx';
import { Text } from '../../kit/text.tsx';
import type { Comparison } from '../../shapes/files.ts';
import type { Hunk } from '../../shapes/types.ts';

export function Differing({ found }: { readonly found: Comparison }) {
  const { same, only_a, only_b, differ } = found;
  return (
    <>
      <section>
        <h2>{say('page.compare.differ', { count: differ.length })}</h2>
        {differ.length === 0 && <p class="quiet">{say('page.compare.none_differ')}</p>}
        {differ.map((file) => (
          <Both key={file.path} file={file} />
        ))}
      </section>
      <div class="columns">
        <Names title={say('page.compare.only_a', { count: only_a.length })} paths={only_a} />
        <Names title={say('page.compare.only_b', { count: only_b.length })} paths={only_b} />
      </div>
      <Names title={say('page.compare.same', { count: same.length })} paths={same} />
    </>
  );
}

function Names({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) {
  return (
    <section>
      <h2>{title}</h2>
      <ul class="mono names">
        {paths.map((path) => (
          <li key={path}>
            <Text of={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Both({ file }: { readonly file: Comparison['differ'][number] }) {
  const open = useSignal(false);
  const id = useId();
  return (
    <div class="details">
      <button
        type="button"
        class="details-head"
        aria-expanded={open.value}
        aria-controls={id}
        onClick={() => {
          open.value = !open.value;
        }}
      >
        <span class="details-arrow">
          <Chevron />
        </span>
        <span class="details-title">
          <code>
            <Text of={file.path} />
          </code>
          <span class="quiet">{say(`page.compare.merge.${file.merge}`)}</span>
        </span>
      </button>
      <div id={id} hidden={!open.value} class="columns">
        {open.value && (
          <>
            <OneSide label="A" hunks={file.hunks_a} />
            <OneSide label="B" hunks={file.hunks_b} />
          </>
        )}
      </div>
    </div>
  );
}

function OneSide({ label, hunks }: { readonly label: string; readonly hunks: readonly Hunk[] | null }) {
  return (
    <section aria-label={label}>
      <h3 class="side-letter">{label}</h3>
      {hunks === null || hunks.length === 0 ? (
        <p class="quiet">{say('page.files.no_lines')}</p>
      ) : (
        <Hunks hunks={hunks} />
      )}
    </section>
  );
}
