/** Which words are names of files although there is no slash in them. */

/** Whether one of the dots in the word is followed by the ending of a file: a quick check before the exact one. */
export function mayNameFile(word: string): boolean {
  if (word.startsWith('.')) return true;
  for (let dot = word.indexOf('.'); dot >= 0; dot = word.indexOf('.', dot + 1)) {
    let end = dot + 1;
    while (end < word.length && isWordCode(word.charCodeAt(end))) end += 1;
    if (end > dot + 1 && isEnding(word.slice(dot + 1, end))) return true;
  }
  return false;
}

/** Names without an ending, wherever they stand in a text. */
export function findFileNames(text: string, found: (name: string) => void): void {
  for (const match of text.matchAll(BARE_NAME)) found(match[0]);
}

/** `main.ts`, `.env.local`; not `this.key` or `e.g.`. */
export function hasFileName(word: string): boolean {
  if (DOT_FILE.test(word)) return true;
  const dot = word.lastIndexOf('.');
  if (dot <= 0 || !/^[\p{L}\p{N}_@+~$ .()[\]*-]+$/u.test(word)) return false;
  if (word.includes('@') && !/@\dx\./.test(word)) return false;
  return isEnding(word.slice(dot + 1)) && !OWNERS.has(word.slice(0, dot)) && word !== 'process.env';
}

const DOT_FILE =
  /^\.(?:env|git|npm|nvm|yarn|pnpm|eslint|prettier|stylelint|babel|swc|docker|editorconfig|browserslist|bash|zsh|profile|ssh|vscode|idea|github|gitlab|circleci|travis|husky|lint|mocha|nyc|jest|node-version|python-version|ruby-version|tool-versions|pylint|flake8|coverage|rspec|rubocop|clang|vim|tmux|config|cache|claude|cursor|mcp|aider|terraform|htaccess|netrc|pypirc|pgpass|kube|aws|gnupg|ignore)[\w.-]*$/;

const NAMES =
  'Makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Gemfile Rakefile Podfile Brewfile ' +
  'Pipfile Justfile Caddyfile Tiltfile CODEOWNERS PKGBUILD LICENSE COPYING README CHANGELOG CONTRIBUTING gradlew mvnw';
const BARE_NAME = new RegExp(`(?<![\\w./-])(?:${NAMES.replaceAll(' ', '|')})(?![\\w/-]|\\.\\w)`, 'g');

const ENDINGS: ReadonlySet<string> = new Set(
  (
    'js mjs cjs jsx ts mts cts tsx vue svelte astro json json5 jsonc jsonl ndjson yaml yml toml xml html htm xhtml css ' +
    'scss sass less py pyi pyx ipynb rb erb rs go java kt kts scala sbt clj cljs ex exs erl hrl hs ml mli swift m mm c h ' +
    'cc cpp cxx hpp hxx hh cs csproj sln fs fsproj vb php phtml pl pm lua r rmd jl dart zig nim sv vhd asm sh bash ' +
    'zsh fish ps1 psm1 bat cmd sql psql graphql gql proto thrift avsc tf tfvars tfstate hcl ini cfg conf config ' +
    'properties env lock lockb sum mod md mdx markdown rst adoc tex bib txt pdf doc docx odt rtf xls xlsx ods ppt ' +
    'pptx csv tsv parquet arrow feather db sqlite sqlite3 dump png jpg jpeg gif svg webp avif ico bmp tif tiff heic psd ' +
    'mp3 mp4 m4a wav ogg flac mov avi mkv webm zip tar gz tgz bz2 xz zst 7z rar jar war ear whl gem deb rpm apk dmg iso ' +
    'so dll dylib exe bin wasm wat snap patch diff rej orig log pid sock pem key crt cer csr p12 pfx jks pub asc sig ' +
    'tmp bak swp j2 jinja tpl tmpl ejs hbs mustache njk haml pug slim liquid plist gradle cmake mk ninja bzl ' +
    'webmanifest woff woff2 ttf otf eot gitignore dockerignore npmrc service desktop ics eml po ' +
    'pot resx storyboard xib pbxproj entitlements prisma sol vy nix dhall rego ' +
    'proj nuspec podspec gemspec cabal opam rockspec ipa aab ml5 onnx pt pth ckpt safetensors gguf pkl npy ' +
    'npz h5 hdf5 rds rdata sas dta shp geojson gpx kml dxf stl glb gltf fbx blend unity prefab tscn '
  ).split(' '),
);

/** What stands before the dot in every program, where the rest is a member. */
const OWNERS: ReadonlySet<string> = new Set(['console', 'Math', 'this']);

/** Small or capital as a whole: `Foo.Config` is a member, `IMAGE.PNG` a file. */
function isEnding(text: string): boolean {
  return ENDINGS.has(text) || (text === text.toUpperCase() && ENDINGS.has(text.toLowerCase()));
}

function isWordCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
