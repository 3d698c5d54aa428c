/** How a client starts the host of a session, and how a person or a model calls our command line. */
import { fileURLToPath } from 'node:url';
import { packaged } from '../../../system/packaged.ts';
import { shellWord } from '../../../system/process/shell.ts';
import type { ClientName } from '../../client.ts';

/** A program and its first arguments. */
export type Program = readonly [command: string, ...args: string[]];

/** By absolute paths: a client that a desktop started may have another PATH, or another Node in it. */
export function installedProgram(): Program {
  return [process.execPath, fileURLToPath(packaged('bin/vibe-engine.js'))];
}

/** For those who install the plugin by hand. */
export const BY_NPX: Program = ['npx', 'vibe-engine'];

export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** They wait for every hook of a server that hangs, or start one that died once only. The plugin of opencode does neither. */
const RELAYED: ReadonlySet<ClientName> = new Set(['claude', 'codex', 'gemini']);

/** `strict`: hooks that are programs have to reach it, too, and it refuses what it cannot record. */
export function serverEntry(program: Program, client: ClientName, strict: boolean): ServerEntry {
  const [command, ...args] = program;
  const flags = [...(RELAYED.has(client) ? ['--relay'] : []), ...(strict ? ['--socket', '--strict'] : [])];
  return { command, args: [...args, 'agent-host', client, ...flags] };
}

export function isStrict(server: ServerEntry | undefined): boolean {
  return server?.args.includes('--strict') ?? false;
}

export function commandLine(program: Program): string {
  return program.map((word) => (/^[\w./-]+$/.test(word) ? word : shellWord(word))).join(' ');
}
