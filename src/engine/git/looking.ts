/** One drift check for a task, from the repository to the decision. */

import type { Config } from '../../config/types.ts';
import { distanceOf } from '../../drift/ancestry.ts';
import { type Detection, detect } from '../../drift/detect.ts';
import { type Git, gitAt } from '../../drift/git.ts';
import { look, type Sight } from '../../drift/look.ts';
import { type Noted, newTracker, noteDetection } from '../../drift/note.ts';
import { findRepository } from '../../drift/place.ts';
import type { Moment } from '../../drift/policy.ts';
import type { VersionTracker } from '../../drift/tracker.ts';
import type { Services } from '../api/services.ts';
import type { FileEntries } from '../files/own-changes.ts';
import type { WorkspaceLink } from '../files/workspace-link.ts';

export interface DriftServices extends Services {
  readonly workspace: WorkspaceLink;
}

export interface Drifted extends Noted {
  readonly detection: Detection;
}

/** Null where there is no repository. */
export function repositoryOf(
  { workspace, config }: Pick<DriftServices, 'workspace' | 'config'>,
  signal?: AbortSignal,
): Git | null {
  const place = findRepository(workspace.root);
  return place && gitAt({ ...place, sealed: config.encryption.enabled }, signal ? { signal } : {});
}

/** `files`: what the task's journal tells of files, where it has been read already. */
export async function lookFor(
  services: DriftServices,
  git: Git,
  known: VersionTracker,
  moment: Moment,
  files?: FileEntries,
): Promise<Drifted> {
  const { drift } = services.config;
  const detection = await detect(git, {
    known,
    wanted: drift.upstream,
    fetch_timeout_ms: drift.fetch_timeout_seconds * 1000,
    onProgress: services.onProgress,
    own: async () => {
      const own = await services.workspace.filesModified(known.task_id, files);
      return new Set(own.map((path) => git.place.prefix + path));
    },
  });
  return { detection, ...noteDetection(known, detection, moment, services.clock.now().toISOString()) };
}

/** Where a task starts, from local knowledge: upstream is not contacted. */
export async function trackFrom(
  { config, clock }: Pick<DriftServices, 'config' | 'clock'>,
  git: Git,
  task: string,
  known?: VersionTracker,
): Promise<VersionTracker | null> {
  const sight = await lookHere(git, config, known);
  if (!sight) return null;
  const { head, upstream_head } = sight;
  const distance = head && upstream_head ? await distanceOf(git, head, upstream_head) : null;
  return newTracker(task, sight, distance?.behind ?? 0, clock.now().toISOString());
}

/** The task itself has moved HEAD: that is not drift. */
export async function followOwnMove(
  { config }: Pick<DriftServices, 'config'>,
  git: Git,
  tracker: VersionTracker,
): Promise<VersionTracker> {
  const sight = await lookHere(git, config, tracker);
  if (!sight) return tracker;
  const { head, branch, upstream, upstream_head } = sight;
  const distance = head && upstream_head ? await distanceOf(git, head, upstream_head) : null;
  const commits_behind = distance?.behind ?? 0;
  const followed = { ...tracker, current_head: head, branch, commits_behind };
  // On the same branch, the next check still compares with upstream as of the last check.
  return branch === tracker.branch ? followed : { ...followed, upstream, upstream_head, assessed: null };
}

async function lookHere(git: Git, { drift }: Config, known?: VersionTracker): Promise<Sight | null> {
  const sight = await look(git, { known, wanted: drift.upstream, fetch_timeout_ms: null });
  return 'head' in sight ? sight : null;
}
