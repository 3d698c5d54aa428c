// Builds the dashboard's page into dist/page/: one script and its lazily loaded parts, one style sheet, one file of text for
// each language.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = `${root}src/dashboard/page/`;
const text = `${root}src/verbs/text/`;
const out = `${root}dist/page/`;

/** What the page says, by the beginnings of its keys. */
const SAID = /^(?:page|status|time|unit)\./;

export async function buildPage() {
  const { rolldown } = await import('rolldown');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const bundle = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { app: `${page}app.tsx` },
    logLevel: 'warn',
  });
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  await bundle.write({ dir: out, format: 'esm', minify: true, ...names });
  await bundle.close();
  const css = namesIn(page).filter((name) => name.endsWith('.css'));
  writeFileSync(`${out}styles.css`, css.map((name) => smaller(readFileSync(page + name, 'utf8'))).join('\n'));
  for (const name of namesIn(page).filter((one) => /\.(?:html|svg)$/.test(one)))
    writeFileSync(`${out}${name.slice(name.lastIndexOf('/') + 1)}`, readFileSync(page + name));
  for (const [language, said] of Object.entries(await catalogues(rolldown)))
    writeFileSync(`${out}text-${language}.json`, JSON.stringify(said));
  writeFileSync(`${out}preact-LICENSE.txt`, readFileSync(`${root}node_modules/preact/LICENSE`));
}

/** For those who run the sources: builds it if something has changed since. */
export async function refreshPage() {
  const built = `${out}preact-LICENSE.txt`; // Written last.
  const newest = Math.max(
    ...[page, text].flatMap((dir) => namesIn(dir).map((name) => changedAt(dir + name))),
  );
  if (!existsSync(built) || changedAt(built) < newest) await buildPage();
}

function changedAt(path) {
  return statSync(path).mtimeMs;
}

function namesIn(dir) {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
}

function smaller(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1');
}

async function catalogues(rolldown) {
  const entry = 'catalogues';
  const code = `import { en } from './en.ts';
import { zhHant } from './zh-Hant.ts';
import { zhHans } from './zh-Hans.ts';
export default { en, 'zh-Hant': zhHant, 'zh-Hans': zhHans };`;
  const bundle = await rolldown({
    cwd: root,
    input: entry,
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? `${text}${entry}.ts` : undefined),
        load: (id) => (id === `${text}${entry}.ts` ? code : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const made = await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`);
  return Object.fromEntries(
    Object.entries(made.default).map(([language, all]) => [
      language,
      Object.fromEntries(Object.entries(all).filter(([key]) => SAID.test(key))),
    ]),
  );
}
