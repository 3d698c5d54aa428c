/** A client's own program: whether it is there, and its commands. */
import { stripVTControlCharacters } from 'node:util';
import { ConfigError, EngineError, VibeError } from '../../errors.ts';
import { phrase } from '../../phrase.ts';
import { jsonIn } from '../../system/json.ts';
import { runProgram } from '../../system/process/program.ts';
import { isProgram } from '../../system/process/programs.ts';
import { versionIn } from '../../system/process/tools.ts';
import type { SetupState } from '../client.ts';

export interface ClientProgram {
  /** The name on PATH. */
  readonly command: string;
  /** As people call it. */
  readonly title: string;
  /** How to get it. */
  readonly package: string;
}

interface Ended {
  readonly ok: boolean;
  readonly output: string;
  readonly errors: string;
}

/** Their own commands may look for updates first; without a network that takes a while. */
const LIMIT_MS = 120_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** Null if it is not on this machine. The version is empty if it does not say. Throws with its own words if it does not start. */
export async function findClient(client: ClientProgram): Promise<string | null> {
  if (!isProgram(client.command, process.cwd(), process.env.PATH ?? '')) return null;
  try {
    const { output } = await runClient(client, ['--version']);
    return versionIn(output) ?? '';
  } catch (error) {
    if (error instanceof VibeError) throw error;
    return null; // The name is there, and no program behind it.
  }
}

export async function mustFind(client: ClientProgram): Promise<string> {
  const version = await findClient(client);
  if (version !== null) return version;
  throw new ConfigError(
    'MISSING_DEPENDENCY',
    phrase`${client.title} was not found: there is no "${client.command}" on PATH.`,
    {
      data: { client: client.command },
      hint: phrase`Install it with "npm install -g ${client.package}", or add its directory to PATH. Nothing was changed.`,
    },
  );
}

interface CallOptions {
  readonly cwd?: string;
  /** What it reads, where it asks. */
  readonly input?: string;
}

/** Runs one of its commands; how it ended is for the caller to judge. */
export function tryClient(
  client: ClientProgram,
  args: readonly string[],
  options: CallOptions = {},
): Promise<Ended> {
  return call(client.command, args, options);
}

/** Throws with the client's own words if it fails. */
export async function runClient(
  client: ClientProgram,
  args: readonly string[],
  options: CallOptions = {},
): Promise<Ended> {
  const ended = await call(client.command, args, options);
  if (ended.ok) return ended;
  const line = [client.command, ...args].join(' ');
  // Some colour what they say, terminal or not.
  const plain = stripVTControlCharacters(ended.errors.trim() || ended.output.trim());
  const said = plain.split('\n').slice(-5).join('\n');
  throw new EngineError('COMMAND_FAILED', phrase`"${line}" failed: ${said}`, {
    data: { command: line, output: ended.output, errors: ended.errors },
    hint: phrase`Run the command yourself to see why, then install again.`,
  });
}

async function call(command: string, args: readonly string[], { cwd, input }: CallOptions): Promise<Ended> {
  const { code, output, errors } = await runProgram([command, ...args], {
    input: input === undefined ? null : Buffer.from(input),
    timeout_ms: LIMIT_MS,
    keep: MOST_BYTES,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { ok: code === 0, output: output.toString('utf8'), errors: errors.toString('utf8') };
}

export const NOT_FOUND: SetupState = {
  found: false,
  version: null,
  installed: false,
  active: false,
  strict: false,
  missing: [],
};

/** The JSON in what a client printed, which may have said something before. */
export function jsonSaid(text: string): unknown {
  const start = text.search(/^\s*[[{]/m);
  return start < 0 ? null : (jsonIn(text.slice(start)) ?? null);
}
