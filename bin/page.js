// Builds the dashboard's page into dist/page/: one script, one style sheet and one file of text for each language, with what
// the list of tasks needs; what the other screens need is in parts of their own, loaded when one is first opened.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = `${root}src/dashboard/page/`;
const text = `${root}src/verbs/text/`;
const out = `${root}dist/page/`;

/** What the page says, by the beginnings of its keys. */
const SAID = /^(?:page|status|time|unit)\./;

/** Style sheets of the screens that are loaded later. */
const SCREENS = 'style/screens/';

/** Once it is there, so is everything else. */
const LAST = 'preact-LICENSE.txt';

export async function buildPage() {
  const { rolldown } = await import('rolldown');
  const css = namesIn(page).filter((name) => name.endsWith('.css'));
  const sheet = (names) => names.map((name) => smaller(readFileSync(page + name, 'utf8'))).join('\n');
  const { code, first } = await scripts(rolldown);
  const isFirst = saidIn(first.map((path) => readFileSync(path, 'utf8')).join('\n'));
  const files = {
    ...code,
    'styles.css': sheet(css.filter((name) => !name.startsWith(SCREENS))),
    'screens.css': sheet(css.filter((name) => name.startsWith(SCREENS))),
    'index.html': readFileSync(`${page}index.html`, 'utf8').replace('{icon}', icon()),
  };
  for (const [language, said] of Object.entries(await catalogues(rolldown))) {
    const part = (wanted) =>
      JSON.stringify(Object.fromEntries(Object.entries(said).filter(([key]) => isFirst(key) === wanted)));
    files[`text-${language}.json`] = part(true);
    files[`text-${language}-screens.json`] = part(false);
  }
  mkdirSync(out, { recursive: true });
  for (const [name, content] of Object.entries(files)) put(name, content);
  const old = readdirSync(out).filter((name) => !(name in files) && name !== LAST && !name.endsWith('.tmp'));
  for (const name of old) rmSync(out + name, { force: true });
  put(LAST, readFileSync(`${root}node_modules/preact/LICENSE`));
}

/** At once: several processes may build the same page, while others read it. */
function put(name, content) {
  const made = `${out}${name}.${process.pid}.tmp`;
  writeFileSync(made, content);
  renameSync(made, out + name);
}

/** Everything that the first screen needs is in `app.js`, so that it comes with one request; the others are parts of their own. */
async function scripts(rolldown) {
  const first = new Set();
  const gather = {
    name: 'first',
    buildEnd() {
      const add = (id) => {
        if (first.has(id)) return;
        first.add(id);
        for (const one of this.getModuleInfo(id)?.importedIds ?? []) add(one);
      };
      for (const id of this.getModuleIds()) if (this.getModuleInfo(id)?.isEntry) add(id);
    },
  };
  const bundle = await rolldown({
    cwd: root,
    platform: 'browser',
    input: { app: `${page}app.tsx` },
    logLevel: 'warn',
    plugins: [gather],
    preserveEntrySignatures: false,
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'first', test: (id) => first.has(id) }] },
  });
  await bundle.close();
  return {
    code: Object.fromEntries(output.map(({ fileName, code }) => [fileName, code])),
    first: [...first].filter((id) => id.startsWith(page)),
  };
}

/** Whether sources say a key: as it stands there, or with a part that is filled in. Keys of units and the like are put together. */
function saidIn(sources) {
  const keys = [...sources.matchAll(/(['"])(page\.[\w.]+)\1/g)].map(([, , key]) => key);
  const filled = [...sources.matchAll(/`(page\.(?:[^`$]|\$\{[^}]*\})*)`/g)].map(
    ([, key]) => new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '[^.]*')}$`),
  );
  return (key) => !key.startsWith('page.') || keys.includes(key) || filled.some((one) => one.test(key));
}

/** In the page itself: a file of its own would be one more request. */
function icon() {
  return `data:image/svg+xml;base64,${readFileSync(`${page}icon.svg`).toString('base64')}`;
}

/** For those who run the sources: builds it if something has changed since. */
export async function refreshPage() {
  const built = `${out}${LAST}`;
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
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/([{;][\w-]+): /g, '$1:')
    .replaceAll(';}', '}');
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
