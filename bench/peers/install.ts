/** Installs a peer when it is first asked for, into a directory that belongs to its exact versions. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Peer } from './versions.ts';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'vibe-engine-peers');

/** A module in the directory imports for us, so that names are found where the peer is. */
const LOADER = 'load.mjs';

/** The directory it is installed in; empty where there is nothing to install. No script of a package is run. */
export async function installPeer({ packages }: Peer): Promise<string> {
  if (packages.length === 0) return '';
  const key = createHash('sha256').update(packages.join(' ')).digest('hex').slice(0, 12);
  const directory = join(CACHE, key);
  if (existsSync(directory)) return directory;
  const making = `${directory}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const dependencies = Object.fromEntries(packages.map(nameAndVersion));
  writeFileSync(join(making, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(making, LOADER), 'export default (name) => import(name);\n');
  await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], making);
  renameSync(making, directory);
  return directory;
}

/** A package of an installed peer. Its types are not installed with ours: the caller says what it uses of it. */
export async function importFrom<Exports>(directory: string, name: string): Promise<Exports> {
  const { default: load } = await import(join(directory, LOADER));
  return load(name);
}

function nameAndVersion(text: string): [string, string] {
  const at = text.lastIndexOf('@');
  return [text.slice(0, at), text.slice(at + 1)];
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  try {
    await promisify(execFile)('npm', [...args], { cwd, shell: process.platform === 'win32' });
  } catch (error) {
    rmSync(cwd, { recursive: true, force: true });
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new Error(`npm install failed: ${stderr.trim().split('\n')[0] || message}`);
  }
}
