/** How the files of two tries differ: the same in both, only in one, different in both. */
import { lineCount } from '../../diff/rows.ts';
import { type Line, threeWays } from '../../diff/three-ways.ts';
import { say } from '../../ground/language.ts';
import { Details } from '../../kit/details.tsx';
import { Hunks } from '../../kit/hunks.tsx';
import { Scrolls } from '../../kit/scrolls.tsx';
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
      <div class="columns only">
        <Names title={say('page.compare.only_a', { count: only_a.length })} paths={only_a} />
        <Names title={say('page.compare.only_b', { count: only_b.length })} paths={only_b} />
      </div>
      <Names title={say('page.compare.same', { count: same.length })} paths={same} />
    </>
  );
}

function Names({ title, paths }: { readonly title: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return null;
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
  const title = (
    <>
      <code>
        <Text of={file.path} />
      </code>
      <span class="quiet">{say(`page.compare.merge.${file.merge}`)}</span>
    </>
  );
  return (
    <Details title={title}>
      <ThreeWays file={file} />
    </Details>
  );
}

/** A, what both began with, B; where that is too much, what each did. */
function ThreeWays({ file }: { readonly file: Comparison['differ'][number] }) {
  const { hunks_a, hunks_b } = file;
  if (hunks_a === null || hunks_b === null)
    return <p class="quiet">{say(file.merge === 'binary' ? 'page.files.binary' : 'page.files.too_large')}</p>;
  if (lineCount(hunks_a) + lineCount(hunks_b) > MANY)
    return (
      <div class="columns">
        <OneSide label="A" hunks={hunks_a} />
        <OneSide label="B" hunks={hunks_b} />
      </div>
    );
  return (
    <div class="three-ways">
      {threeWays(hunks_a, hunks_b).map((place) => (
        <section key={place.line} aria-label={say('page.hunk', { line: place.line })}>
          <p class="quiet small">{say('page.hunk_at', { line: place.line })}</p>
          <div class="ways">
            <Way label="A" lines={place.a} />
            <Way label={say('page.compare.base')} lines={place.base} />
            <Way label="B" lines={place.b} />
          </div>
        </section>
      ))}
    </div>
  );
}

/** More lines than this are drawn as far as they are in view. */
const MANY = 400;

function Way({ label, lines }: { readonly label: string; readonly lines: readonly Line[] }) {
  return (
    <div class="way">
      <h3 class="side-letter">{label}</h3>
      <Scrolls class="diff" label={label}>
        {lines.length === 0 && <p class="quiet way-none">{say('page.conflict.no_lines')}</p>}
        {lines.map(({ text, kind }, at) => (
          <div key={at} class={`way-line ${kind}`}>
            <span class="diff-sign" />
            <span>
              <Text of={text} />
            </span>
          </div>
        ))}
      </Scrolls>
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
