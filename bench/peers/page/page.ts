/** `docs/benchmarks.md`, all of it, made of the results. */
import type { Results, Row, Table } from '../results.ts';
import { PEER_NAMES, PEERS } from '../versions.ts';
import { caveatOf } from './caveat.ts';
import { advantage, medianOf, rounded, spreadOf, timesOf } from './figures.ts';
import { markdown } from './markdown.ts';
import { DESCRIPTIONS } from './tables.ts';

export function pageOf(results: Results): string {
  const caveat = caveatOf(results);
  return [
    '# Benchmarks',
    `Vibe Engine beside what one would use instead, on the same work and the same machine. \`npm run bench:peers\` measures all of
it and writes this page; the table in the [README](../README.md) is an extract.`,
    ...(caveat === null ? [] : [caveat]),
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

function method({ date, machine, git }: Results): string {
  const { platform, cpus, cpu, load, node, file_system } = machine;
  return `## Method

- **Same work**: the same steps, turns, files and merges for everyone; each table says which.
- **In turns**: every engine has a process of its own. In each round all of them run, one after another, and the order changes. The
  first round does not count. The tables show the median of the others with the smallest and the largest, and how many times as fast
  we are: the median of the ratios within a round, above 1 where we are ahead. Who takes long is measured in fewer rounds.
- **Synced**: everyone is set to have a result on the disk before the next step begins; the table below says who cannot.
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
  const lines = tables.flatMap((table) => {
    const { title, as = 'as fast' } = DESCRIPTIONS[table.id];
    return table.rows.flatMap((theirs) => {
      const ahead = oursIn(table).flatMap((mine) => {
        const times = theirs.ours ? null : advantage(table, mine, theirs);
        return times !== null && times < 0.995 ? [`${rounded(1 / times)} times ${as} as ${mine.name}`] : [];
      });
      return ahead.length === 0 ? [] : [`- ${title}: ${theirs.name} is ${ahead.join(', ')}.`];
    });
  });
  const text = lines.length === 0 ? 'Nowhere in this run.' : lines.join('\n');
  return `## Where others are ahead\n\n${text}`;
}

function oursIn({ rows }: Table): Row[] {
  return rows.filter((row) => row.ours);
}

function section({ sizes }: Results, table: Table): string {
  const { title, unit, how, as = 'as fast' } = DESCRIPTIONS[table.id];
  const ours = oursIn(table);
  const notes = table.rows.some(({ note, failed }) => note ?? failed);
  const compared = ours.map(({ name }) =>
    `${name.replace(/^Vibe Engine(?:, )?/, '')} is`.replace(/^ is$/, 'we are'),
  );
  const head = ['', unit, 'spread', ...compared.map((who) => `${who} … times ${as}`), ...(notes ? [''] : [])];
  const rows = table.rows.map((row) => [
    row.ours ? `**${row.name}**` : row.name,
    medianOf(row),
    spreadOf(row),
    ...ours.map((mine) => (row.ours ? '' : timesOf(advantage(table, mine, row)))),
    ...(notes ? [row.failed === undefined ? (row.note ?? '') : `not measured: ${row.failed}`] : []),
  ]);
  const rounds = Math.max(...table.rows.map(({ samples }) => samples.length));
  const fewer = table.rows.filter(({ samples }) => samples.length > 0 && samples.length < rounds);
  const many =
    rounds < 2
      ? ''
      : ` ${rounds} rounds${fewer.map(({ name, samples }) => `, ${samples.length} of ${name}`).join('')}.`;
  return [`## ${title}`, `${how(sizes)}${many}`, markdown(head, rows)].join('\n\n');
}
