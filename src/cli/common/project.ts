/** The project of a command: found from the working directory, its store and engine opened on demand. */
import { dirname, join, resolve } from 'node:path';
import { nearestFile } from '../../config/nearest-file.ts';
import type { Prompter } from '../../engine/api/prompter.ts';
import type { Engine, EngineOptions } from '../../engine/engine.ts';
import type { AnyDefinition } from '../../engine/lifecycle/registry.ts';
import { InvalidInputError } from '../../errors.ts';
import { lstat, realpath } from '../../system/io.ts';
import { isOthers } from '../../system/owner.ts';
import type { OnProgress } from '../../system/progress.ts';
import type { Store } from '../../verbs/kit/verb.ts';
import type { Say } from '../../verbs/text/choose.ts';

export interface Project {
  readonly dir: string;
  /** Null where there is none yet. */
  findStore(): Promise<Store | null>;
  engine(store: Store, files: boolean): Promise<Engine>;
  /** One that runs these tasks; the store is created if there is none. */
  worker(tasks: readonly AnyDefinition[]): Promise<Engine>;
  close(): Promise<void>;
}

export interface ProjectOptions {
  readonly dir: string;
  readonly prompter?: Prompter;
  /** As an engine's. */
  readonly questions?: 'here' | 'anywhere';
  readonly notify: (lines: readonly string[]) => void;
  readonly onProgress: OnProgress;
  /** How a command line is written here. */
  readonly command?: (words: string) => string;
}

export function openProject({ dir, ...given }: ProjectOptions): Project {
  const told = { ...given, notify: onceEach(given.notify) };
  let store: Promise<Store | null> | undefined;
  /** By whether they have a workspace. */
  const engines = new Map<boolean, Promise<Engine>>();
  let working: Promise<Engine> | undefined;
  const closeAll = async (): Promise<void> => {
    const open = [...engines.values()];
    engines.clear();
    // One that did not open has nothing to close.
    for (const engine of open) await (await engine.catch(() => undefined))?.close();
  };
  return {
    dir,
    findStore: () =>
      (store ??= beBrief()
        .then(() => findStore(dir, told))
        .then((found) => {
          if (!found) store = undefined; // The first task creates it.
          return found;
        })
        .catch((error: unknown) => {
          store = undefined; // Once it is repaired it can be opened.
          throw error;
        })),
    engine({ storage }, workspace) {
      if (working) return working;
      const open = engines.get(workspace);
      if (open) return open;
      const opening = openQuietly({ project_dir: dir, storage, workspace, ...told });
      engines.set(workspace, opening);
      // Its caller has the error; the next one tries again.
      opening.catch(() => engines.delete(workspace));
      return opening;
    },
    async worker(tasks) {
      store ??= findStore(dir, told);
      const found = await store;
      const { openEngine } = await import('../../engine/engine.ts');
      const storage = found ? { storage: found.storage } : {};
      const options = { project_dir: dir, workspace: true, signals: false, tasks, ...told };
      // Engines opened for reading have no registered tasks.
      if (!working) await closeAll();
      working ??= openEngine({ ...options, ...storage });
      return working;
    },
    async close() {
      // The same holds for these.
      await (await working?.catch(() => undefined))?.close();
      await closeAll();
      await (await store?.catch(() => null))?.storage.close();
    },
  };
}

/** A command that reads a few records is done before compiling the schemas would pay off. */
async function beBrief(): Promise<void> {
  const { config } = await import('zod');
  config({ jitless: true });
}

/** An engine without background work. */
async function openQuietly(options: EngineOptions): Promise<Engine> {
  const { openEngine } = await import('../../engine/engine.ts');
  return openEngine({
    ...options,
    signals: false,
    automatic_cleanup: false,
    telemetry: false,
    auto_save: false,
  });
}

/** A misspelt project must not look like an empty one. */
export function requireDirectory(dir: string, say: Say): string {
  if (lstat(realpath(dir) ?? dir)?.isDirectory()) return dir;
  const near = nearestFile(dir);
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: near });
  throw new InvalidInputError('USAGE', say('project.none', { dir }), {
    data: { dir, nearest: near ?? null },
    hint: meant + say('project.hint'),
  });
}

/**
 * The directory given, or the nearest one above that has a store or settings; else this one. Directories of other users
 * above are skipped: their owners could decide what runs here.
 */
export function projectDir(
  cwd: string,
  given: string | undefined,
  passedOver: (dir: string) => void = () => {},
): string {
  if (given !== undefined) return resolve(cwd, given);
  for (let dir = resolve(cwd); ; dir = dirname(dir)) {
    const there = lstat(join(dir, '.vibe-engine'));
    if (there?.isDirectory() && (dir === resolve(cwd) || !isOthers(there))) return dir;
    if (there?.isDirectory()) passedOver(dir);
    if (dirname(dir) === dir) return resolve(cwd);
  }
}

/** Notices that come twice, for a store and for its engine, are shown once. */
function onceEach(notify: ProjectOptions['notify']): ProjectOptions['notify'] {
  const told = new Set<string>();
  return (lines) => {
    const fresh = lines.filter((line) => !told.has(line));
    for (const line of fresh) told.add(line);
    if (fresh.length > 0) notify(fresh);
  };
}

type NoticeOptions = Pick<ProjectOptions, 'notify' | 'command'>;

async function findStore(dir: string, { notify, command = String }: NoticeOptions): Promise<Store | null> {
  const [{ awaitsTrust, loadConfig, trustNotice }, { createStorageFromConfig }, { isThere, orNotAllowed }] =
    await Promise.all([
      import('../../config/load.ts'),
      import('../../storage/opening/factory.ts'),
      import('../../storage/opening/store-there.ts'),
    ]);
  const loaded = loadConfig({ project_dir: dir });
  const { config, project_dir } = loaded;
  const waits = trustNotice(loaded, command);
  if (waits !== null) notify([waits]);
  if (!isThere(config, project_dir)) return null;
  const storage = await createStorageFromConfig(config, { project_dir }).catch((error) => {
    throw awaitsTrust(orNotAllowed(error, config, project_dir), loaded, command);
  });
  return { config, project_dir, storage };
}
