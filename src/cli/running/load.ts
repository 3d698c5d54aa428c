/** Loads a task's code from its file. */
import { registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { nearestFile } from '../../config/nearest-file.ts';
import type { AnyDefinition } from '../../engine/lifecycle/registry.ts';
import { InvalidInputError } from '../../errors.ts';
import { readIfExists } from '../../system/files.ts';
import { lstat } from '../../system/io.ts';
import type { Say } from '../../verbs/text/choose.ts';

/** How a task that was started from a file finds it again. */
interface FileOrigin extends Record<string, unknown> {
  readonly kind: 'file';
  readonly path: string;
}

/** The file's default export. */
export async function loadTask(file: string, say: Say): Promise<{ task: AnyDefinition; origin: FileOrigin }> {
  const path = resolve(file);
  if (!lstat(path)) throw noFile(file, path, say);
  knowOurselves();
  const { default: found } = await evaluated(path, file, say);
  if (!isTask(found)) throw usage(say('run.no_task', { file }), say('run.no_task_hint'), { path });
  return { task: found, origin: { kind: 'file', path } };
}

/** The public names of this copy, from the sources or from the build. */
const OURSELVES = new URL(import.meta.url.endsWith('.ts') ? '../../index.ts' : './index.js', import.meta.url);
let known = false;

/** Wherever a task's file is, `vibe-engine` in it is the copy that runs it: nothing has to be installed next to it. */
function knowOurselves(): void {
  if (known) return;
  known = true;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vibe-engine' ? { url: OURSELVES.href, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) => next(url, { ...context, format: formatOf(url, context.format) }),
  });
}

/** A file with import and export is a module, even if the package.json above it says otherwise. */
function formatOf<F>(url: string, format: F): F | 'module' | 'module-typescript' {
  if (!String(format).startsWith('commonjs') || !url.startsWith('file:')) return format;
  const path = fileURLToPath(url);
  if (path.includes('/node_modules/') || /\.c[jt]s$/.test(path)) return format;
  if (!MODULE_SYNTAX.test(readIfExists(path)?.toString('utf8') ?? '')) return format;
  return String(format).endsWith('typescript') ? 'module-typescript' : 'module';
}

const MODULE_SYNTAX = /^(?:import\s*["'{*\w]|export\s)/m;

/** An exception during loading is an error of the file. */
async function evaluated(path: string, file: string, say: Say): Promise<{ default?: unknown }> {
  try {
    return await withoutTypeWarning(
      async () => (await import(pathToFileURL(path).href)) as { default?: unknown },
    );
  } catch (cause) {
    const { errorPosition, positionText } = await import('./error-position.ts');
    const position = errorPosition(cause, path);
    const message = cause instanceof Error ? cause.message : String(cause);
    const problem = position === null ? message : `${positionText(position)}: ${message}`;
    throw new InvalidInputError('USAGE', say('run.not_loaded', { file, problem }), {
      data: { path, position },
      cause,
      hint: say('run.not_loaded_hint'),
    });
  }
}

/** Node detects modules by their content, and would print a warning about that to people who only run a task. */
async function withoutTypeWarning<T>(load: () => Promise<T>): Promise<T> {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string, ...rest: [{ code?: string }?]) => {
    if (rest[0]?.code !== 'MODULE_TYPELESS_PACKAGE_JSON') emit.call(process, warning, ...(rest as []));
  }) as typeof process.emitWarning;
  try {
    return await load();
  } finally {
    process.emitWarning = emit;
  }
}

function noFile(file: string, path: string, say: Say): InvalidInputError {
  const near = nearestFile(path);
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: relative('', near) });
  return usage(say('run.no_file', { file }), meant + say('run.no_file_hint'), {
    path,
    nearest: near ?? null,
  });
}

function isTask(found: unknown): found is AnyDefinition {
  const { name, run, fingerprint } = (found ?? {}) as Partial<AnyDefinition>;
  return typeof name === 'string' && typeof run === 'function' && typeof fingerprint === 'string';
}

function usage(message: string, hint: string, data: Record<string, unknown>): InvalidInputError {
  return new InvalidInputError('USAGE', message, { data, hint });
}
