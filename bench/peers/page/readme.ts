/** The README's table: medians of the page, one line per question. */
import { median } from '../../harness/rounds.ts';
import type { Results, Row, TableId } from '../results.ts';
import { caveatOf } from './caveat.ts';
import { rounded } from './figures.ts';
import { markdown } from './markdown.ts';
import { count } from './tables.ts';

interface Line {
  readonly id: TableId;
  label(sizes: Results['sizes']): string;
  show(value: number): string;
}

const LINES: readonly Line[] = [
  { id: 'steps-1', label: () => 'durable steps of 1 KB per second, one task', show: rounded },
  { id: 'steps-16', label: () => 'the same, 16 tasks at once', show: rounded },
  {
    id: 'growth',
    label: ({ turns }) => `bytes on disk per byte of a conversation of ${count(turns)} turns`,
    show: rounded,
  },
  { id: 'load', label: () => 'loading that conversation', show: time },
  { id: 'recovery', label: () => 'after `kill -9`: from a new process to the next step', show: time },
  {
    id: 'snapshot-same',
    label: ({ files }) => `snapshot of ${count(files)} files, nothing changed`,
    show: time,
  },
  { id: 'snapshot-ten', label: () => 'the same, 10 files changed', show: time },
  {
    id: 'merge-source',
    label: ({ mergedLines }) => `merging a file of ${count(mergedLines)} lines`,
    show: time,
  },
];

export function readmeTable(results: Results): string {
  const { tables, sizes } = results;
  const caveat = caveatOf(results);
  const rows = LINES.flatMap(({ id, label, show }) => {
    const table = tables.find((each) => each.id === id);
    if (!table) return [];
    const cell = (ours: boolean) =>
      table.rows
        .filter((row) => row.ours === ours && row.samples.length > 0)
        .map((row) => `${nameOf(row)}${show(median(row.samples))}`)
        .join('<br>');
    return [[label(sizes), cell(true), cell(false)]];
  });
  const table = markdown(['', 'Vibe Engine', 'others'], rows);
  return caveat === null ? table : `${caveat}\n\n${table}`;
}

/** Nothing where there is only one of us. */
function nameOf({ name }: Row): string {
  const short = name.replace(/^Vibe Engine(?:, )?/, '');
  return short === '' ? '' : `${short}: `;
}

function time(ms: number): string {
  return ms < 1000 ? `${rounded(ms)} ms` : `${rounded(ms / 1000)} s`;
}
