/** Host, client and both killed at every point of a session's hooks, one case each. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCES } from '../../crash/mutants.ts';
import { broken } from '../../crash/oracle.ts';
import { type CampaignOptions, Notes, type Report } from '../../crash/report.ts';
import { withScratch } from '../../crash/scratch.ts';
import type { StoreName } from '../../crash/stores.ts';
import { inParallel } from '../campaigns.ts';
import { type Ground, openGround } from '../ground.ts';
import type { Point } from '../trap.ts';
import { judgeSession } from './judge.ts';
import { liveSession, type SessionLife, type Victim } from './life.ts';
import { BEFORE } from './script.ts';

/** Who is killed, and where: `host io 12`. */
export type HookKill = `${Victim} ${Point}`;

export interface HookOptions extends Omit<CampaignOptions, 'size'> {
  /** Picks some of the kills. */
  readonly choose?: (kills: readonly HookKill[]) => readonly HookKill[];
}

export function hookKills(store: StoreName, options: HookOptions): Promise<Report> {
  const { choose = (kills) => kills } = options;
  return withScratch(async (scratch) => {
    const notes = new Notes(`hooks ${store}`, { ...options, size: 0 });
    const ground = openGround(store, options.src, SOURCES, scratch);
    const cache = join(scratch, 'cache');
    try {
      const undisturbed = await oneSession(notes, ground, cache, null);
      const kills = undisturbed ? choose(killsAt(undisturbed.passed)) : [];
      await inParallel(kills.entries(), 2, async ([i, kill]) => {
        await oneSession(notes, ground, cache, kill);
        if ((i + 1) % 50 === 0) notes.progress(`${i + 1} of ${kills.length} kills`);
        return !notes.over;
      });
    } finally {
      await ground.close();
    }
    return notes.report;
  }, true);
}

/** A client that dies tears nothing of ours. */
function killsAt(points: readonly Point[]): HookKill[] {
  const victims: readonly Victim[] = ['host', 'client', 'both'];
  return victims.flatMap((victim) =>
    points
      .filter((point) => victim !== 'client' || !point.endsWith('torn'))
      .map((point) => `${victim} ${point}` as const),
  );
}

async function oneSession(
  notes: Notes,
  ground: Ground,
  cache: string,
  kill: HookKill | null,
): Promise<SessionLife | undefined> {
  const site = await ground.site();
  const project_dir = join(site.dir, 'project');
  mkdirSync(project_dir);
  for (const [path, text] of Object.entries(BEFORE)) writeFileSync(join(project_dir, path), text);
  const blame = (what: string): void =>
    notes.violation(what, `store=${site.place.store} kills="${kill}"`, (dir) =>
      cpSync(site.dir, dir, { recursive: true }),
    );
  const [, victim, point] = /^(\w+) (.+)$/.exec(kill ?? '') ?? [];
  try {
    const life = await liveSession({
      site,
      project_dir,
      cache,
      kill: point ?? null,
      victim: (victim as Victim | undefined) ?? 'host',
    });
    notes.count('sessions');
    if (life.killed) notes.count(`kills of ${victim}`);
    else if (kill) notes.count('sessions that ended before the kill');
    const problems = await site.withStorage((storage) => judgeSession(storage, project_dir, life));
    for (const problem of problems) blame(problem);
    return life;
  } catch (error) {
    blame(broken(error).message);
    return undefined;
  } finally {
    await site.clear();
  }
}
