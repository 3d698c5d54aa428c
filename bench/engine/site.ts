/** Where an engine is measured: an empty project with its store, or an empty database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigInput, type Engine, type EngineOptions, openEngine } from '../../src/index.ts';
import type { Scratch } from '../harness.ts';
import { type BackEndType, openPostgresBackEnd } from '../storage/back-ends.ts';

/** Plain data, so that another process can be told. */
export interface Place {
  readonly type: BackEndType;
  readonly project_dir: string;
  readonly url: string | null;
}

export interface Site extends Place {
  remove(): Promise<void>;
}

export async function newSite(scratch: Scratch, type: BackEndType): Promise<Site> {
  const project_dir = scratch.fresh(type);
  mkdirSync(project_dir);
  if (type !== 'postgres') return { type, project_dir, url: null, remove: async () => {} };
  const { place, remove } = await openPostgresBackEnd();
  return { type, project_dir, url: place, remove };
}

/** As a user opens it, but for the clean-up, which would come between. */
export function openAt(
  { type, project_dir, url }: Place,
  tasks: NonNullable<EngineOptions['tasks']> = [],
): Promise<Engine> {
  const persistence: ConfigInput['persistence'] = { storage_type: type, ...(url === null ? {} : { url }) };
  return openEngine({ project_dir, tasks, config: { persistence }, automatic_cleanup: false });
}

/** Every file of a local store. */
export function storeDirectory({ project_dir }: Place): string {
  return join(project_dir, '.vibe-engine');
}
