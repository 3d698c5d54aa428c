/** Which version of a tool is installed, by asking the tool itself. */
import { runProgram } from './program.ts';

/**
 * Null if there is no such tool, or it does not say. Versions are cached; a missing tool is looked for again, since it may
 * be installed.
 */
export async function toolVersion(name: string): Promise<string | null> {
  // The task runs in this very process, not in the `node` that PATH leads to.
  if (name === 'node') return process.versions.node;
  // A name comes from a stored record: only what PATH leads to is ever started, never a path, never an option.
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/.test(name)) return null;
  const place = `${process.env.PATH}\0${name}`;
  const known = versions.get(place);
  if (known !== undefined) return known;
  const version = versionIn(await ask(name, ARGUMENTS[name] ?? ['--version']));
  if (version !== null) versions.set(place, version);
  return version;
}

/** Whether it is a tool whose `--version` is known to have no side effects. */
export function isKnownTool(name: string): boolean {
  return KNOWN.has(name);
}

const KNOWN: ReadonlySet<string> = new Set(
  `ansible awk aws az bash bazel bun bundle cargo clang cmake composer conda corepack curl dart deno docker dotnet
   elixir erl eslint fd ffmpeg fish flutter fzf g++ gcc gcloud gem gh ghc git go gradle grep gzip helm hg java javac jj jq
   just kotlin kubectl lua make mamba maven meson mix mvn mypy nginx ninja nix node npm npx ocaml openssl perl php pip pip3
   pnpm podman poetry psql pulumi pytest python python3 R rg rsync ruby ruff rustc rustup sbt scala sed sh sqlite3 ssh svn
   swift tar terraform tmux tofu tsc unzip uv uvx vim wget xz yarn yq zig zip zsh`.split(/\s+/),
);

/** The first number with a dot in what a tool prints about itself, or else the first number. */
export function versionIn(text: string): string | null {
  const match = /\d+(?:\.\d+)+(?:-(?:alpha|beta|rc|pre|dev|nightly|canary|next)[0-9A-Za-z.-]*)?/i.exec(text);
  return match?.[0] ?? /\d+/.exec(text)?.[0] ?? null;
}

const versions = new Map<string, string>();
const TIME_LIMIT = 5_000;
const MOST_BYTES = 64 * 1024;
/** Tools without `--version`. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  go: ['version'],
  openssl: ['version'],
  ssh: ['-V'],
};

/** What it prints, on whichever output; empty when it cannot be started, fails or takes too long. */
async function ask(name: string, args: readonly string[]): Promise<string> {
  try {
    const options = { input: null, timeout_ms: TIME_LIMIT, keep: MOST_BYTES };
    const { code, output, errors } = await runProgram([name, ...args], options);
    return code === 0 ? `${output}\n${errors}` : '';
  } catch {
    return '';
  }
}
