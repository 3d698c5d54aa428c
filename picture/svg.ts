/** Rows of a terminal as a picture that suits light and dark pages. */
import type { Cell, Row, Style } from './screen.ts';

const FONT_SIZE = 13;
const COLUMN = 7.83;
const LINE = 18;
const MARGIN = 18;

/** So many columns wide; the title stands above the rows. */
export function svgOf(rows: readonly Row[], columns: number, title: string): string {
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = Math.ceil(rows.length * LINE + 2 * MARGIN);
  const lines = rows.flatMap((row, at) => {
    const runs = runsOf(row).map(spanOf).join('');
    return runs === '' ? [] : [`<text y="${MARGIN + LINE * at + FONT_SIZE}">${runs}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${lines.join('\n')}
</svg>
`;
}

const STYLE = [
  'rect{fill:#fcfcfd;stroke:#d0d7de}',
  `text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#24292f;white-space:pre}`,
  '.bold{font-weight:600}.dim{fill:#6e7781}',
  '.green{fill:#1a7f37}.yellow{fill:#9a6700}.red{fill:#cf222e}',
  '.blue,.cyan{fill:#0969da}.magenta{fill:#8250df}.grey{fill:#6e7781}',
  '@media(prefers-color-scheme:dark){',
  'rect{fill:#0d1117;stroke:#30363d}text{fill:#e6edf3}.dim,.grey{fill:#8d96a0}',
  '.green{fill:#3fb950}.yellow{fill:#d29922}.red{fill:#f85149}',
  '.blue,.cyan{fill:#58a6ff}.magenta{fill:#bc8cff}}',
].join('');

interface Run {
  readonly column: number;
  text: string;
  readonly style: Style;
}

/** Neighbours of one style, placed together; what follows a wide character is placed by itself, since fonts differ on it. */
function runsOf(row: Row): Run[] {
  const runs: Run[] = [];
  let joins = false;
  for (const [column, { text, style }] of row.entries()) {
    const last = runs.at(-1);
    if (text !== '' && joins && last && sameStyle(last.style, style)) last.text += text;
    else if (text !== '') runs.push({ column, text, style });
    joins = text !== '';
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

function spanOf({ column, text, style }: Run): string {
  const names = [style.bold && 'bold', style.dim && 'dim', style.colour].filter(Boolean).join(' ');
  const leading = text.length - text.trimStart().length;
  const x = (MARGIN + (column + leading) * COLUMN).toFixed(1).replace(/\.0$/, '');
  return `<tspan x="${x}"${names === '' ? '' : ` class="${names}"`}>${escaped(text.trim())}</tspan>`;
}

function sameStyle(a: Cell['style'], b: Cell['style']): boolean {
  return a.colour === b.colour && a.bold === b.bold && a.dim === b.dim;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
