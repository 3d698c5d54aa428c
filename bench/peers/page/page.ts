/** `docs/benchmarks.md`, all of it, made of the results. */
import type { Results, Row, Table } from '../results.ts';
import { PEER_NAMES, PEERS } from '../versions.ts';
import { advantage, medianOf, rounded, spreadOf, timesOf } from './figures.ts';
import { count, DESCRIPTIONS } from './tables.ts';

export function pageOf(results: Results): string {
  return [
    '# Benchmarks',
    `Vibe Engine beside what one would use instead, on the same work and the same machine. \`npm run bench:peers\` measures all of
it and writes this page; the table in the [README](../README.md) is an extract.`,
    method(results),
    '## Who was measured, and what is synced',
    peers(results),
    behind(results),
    ...Object.entries(results.failed).map(([name, reason]) => `**Not measured**: ${name}: ${reason}`),
    ...results.tables.map((table) => section(results, table)),
  ]
    .join('\n\n')
    .concat('\n');
}

function method({ date, machine, git, sizes }: Results): string {
  const { platform, cpus, cpu, load, node, file_system } = machine;
  return `## Method

- **Same work**: ${count(sizes.stepsOfOne)} steps of 1 KB, ${count(sizes.turns)} turns of 6 KB, the same files, the same merges. Each table says what exactly.
- **In turns**: every contender has a process of its own. In each round all of them run, one after another, and who begins changes.
  The first round does not count. The tables show the median of the others with the smallest and the largest, and how many times as
  good we are: the median of the ratios within a round, above 1 where we are ahead.
- **Synced**: everyone is set to have the data on the disk before the next step begins, where it can be. Where it cannot, it says so.
- **Versions**: the packages below, installed when the bench is run, without their install scripts; what they depend on is not pinned.
- **Machine**: ${platform}, ${cpus} × ${cpu}, load ${load} at the beginning, Node ${node}, ${git}, ${file_system}; ${date.slice(0, 10)}.`;
}

function peers({ packages, absent }: Results): string {
  const rows = PEER_NAMES.filter((name) => packages[name] ?? absent[name]).map((name) => {
    const { title, durability } = PEERS[name];
    const reason = absent[name];
    const versions = packages[name]?.map((text) => `\`${text}\``).join(', ') || '–';
    return [title, versions, reason === undefined ? durability : `**Not measured**: ${reason}`];
  });
  const ours =
    'JSON: one `fdatasync` of the journal per commit. SQLite: WAL, `synchronous=FULL`. PostgreSQL: `synchronous_commit=on`, `fsync=on`, checked when it connects.';
  return markdown(['', 'versions', 'durability'], [['Vibe Engine', 'this commit', ours], ...rows]);
}

/** Said before anything else, so that nobody has to look for it. */
function behind({ tables }: Results): string {
  const lines = tables.flatMap((table) =>
    pairs(table).flatMap(({ ours, theirs, times }) =>
      times !== null && times < 1
        ? [
            `- ${DESCRIPTIONS[table.id].title}: ${theirs.name} is ${rounded(1 / times)} times as good as ${ours.name}.`,
          ]
        : [],
    ),
  );
  const text = lines.length === 0 ? 'Nowhere in this run.' : lines.join('\n');
  return `## Where others are ahead\n\n${text}`;
}

export function pairs(table: Table): { ours: Row; theirs: Row; times: number | null }[] {
  const ours = table.rows.filter((row) => row.ours);
  const others = table.rows.filter((row) => !row.ours);
  return others.flatMap((theirs) =>
    ours.map((mine) => ({ ours: mine, theirs, times: advantage(table, mine, theirs) })),
  );
}

function section({ sizes }: Results, table: Table): string {
  const { title, unit, how } = DESCRIPTIONS[table.id];
  const ours = table.rows.filter((row) => row.ours);
  const notes = table.rows.some(({ note, failed }) => note ?? failed);
  const head = [
    '',
    unit,
    'spread',
    ...ours.map(({ name }) => `${name.replace('Vibe Engine, ', '')} is`),
    ...(notes ? [''] : []),
  ];
  const rows = table.rows.map((row) => [
    row.ours ? `**${row.name}**` : row.name,
    medianOf(row),
    spreadOf(row),
    ...ours.map((mine) => (row.ours ? '' : timesOf(advantage(table, mine, row)))),
    ...(notes ? [row.failed === undefined ? (row.note ?? '') : `not measured: ${row.failed}`] : []),
  ]);
  const rounds = Math.max(...table.rows.map(({ samples }) => samples.length));
  return [
    `## ${title}`,
    `${how(sizes)} ${rounds > 1 ? `${rounds} rounds.` : ''}`.trim(),
    markdown(head, rows),
  ].join('\n\n');
}

export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, at) => (at === 0 ? '---' : '---')).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}
