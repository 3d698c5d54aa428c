/** Where an engine is measured: an empty project with its store, or an empty database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigInput, type Engine, type EngineOptions, openEngine } from '../../src/index.ts';
import type { Scratch } from '../harness.ts';
import { type BackEndType, openPostgresBackEnd } from '../storage/back-ends.ts';
import { generateRepository } from '../workspace/repository.ts';

/** Plain data, so that another process can be told. */
export interface Place {
  readonly type: BackEndType;
  readonly project_dir: string;
  readonly url: string | null;
  /** Whether the project is a repository whose files the engine captures. */
  readonly files: boolean;
  /** Whether everything is sealed, with the key in the environment. */
  readonly encrypted?: boolean;
  /** How many checkpoints of a task are kept; as by default when absent. */
  readonly max_per_task?: number;
}

export interface Site extends Place {
  remove(): Promise<void>;
}

export async function newSite(scratch: Scratch, type: BackEndType, files = false): Promise<Site> {
  const project_dir = scratch.fresh(type);
  if (files) generateRepository(project_dir, FILES);
  else mkdirSync(project_dir);
  if (type !== 'postgres') return { type, project_dir, files, url: null, remove: async () => {} };
  const { place, remove } = await openPostgresBackEnd();
  return { type, project_dir, files, url: place, remove };
}

/** In the repository of a site with files. */
export const FILES = 1000;

/** As a user opens it, but for the clean-up, which would come between. */
export function openAt(
  { type, project_dir, url, files, encrypted = false, max_per_task }: Place,
  tasks: NonNullable<EngineOptions['tasks']> = [],
): Promise<Engine> {
  const persistence: ConfigInput['persistence'] = { storage_type: type, ...(url === null ? {} : { url }) };
  return openEngine({
    project_dir,
    tasks,
    config: {
      persistence,
      encryption: { enabled: encrypted },
      ...(max_per_task === undefined ? {} : { cleanup: { max_per_task } }),
    },
    automatic_cleanup: false,
    workspace: files,
  });
}

/** Every file of a local store. */
export function storeDirectory({ project_dir }: Place): string {
  return join(project_dir, '.vibe-engine');
}
