/** Random repositories: severity against what a real merge does, and nothing changed by looking or by a rebase that fails. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { look, type Sight } from '../../src/drift/look.ts';
import { rebase } from '../../src/drift/rebase/rebase.ts';
import { DriftError } from '../../src/errors.ts';
import { type Random, random } from '../crash/random.ts';
import { type CampaignOptions, Notes, type Report } from '../crash/report.ts';
import { withScratch } from '../crash/scratch.ts';
import { type Clone, cloneAt, detectIn, type Ground, gitOf, pictureOf, trackerOf } from './ground.ts';
import { changeAnything, plainPush, plainWork, randomGround, SITUATIONS } from './random-work.ts';

export type DriftCampaign = (options: Omit<CampaignOptions, 'src'>) => Promise<Report>;

/** Runs `size` cases, each in a directory of its own, and says what each came to. */
function campaign(
  name: string,
  runCase: (draws: Random, dir: string, notes: Notes, recipe: string) => Promise<void>,
): DriftCampaign {
  return (options) =>
    withScratch(async (scratch) => {
      const notes = new Notes(name, { ...options, src: '' });
      for (let n = 0; n < options.size && !notes.over; n++) {
        const dir = join(scratch, String(n));
        await runCase(random(options.seed, name, n), dir, notes, `case=${n}`);
        rmSync(dir, { recursive: true, force: true });
        if (n % 100 === 99) notes.progress(`${n + 1} of ${options.size}`);
      }
      return notes.report;
    }, true);
}

/** Plain edits of content: high exactly when a real merge conflicts. */
export const severity: DriftCampaign = campaign('severity', async (draws, dir, notes, recipe) => {
  const { ground, files } = randomGround(draws, dir);
  const { work, other } = ground;
  plainWork(draws, work, files);
  plainPush(draws, other, files);
  const { assessment, unknown } = await detectIn(work, await trackerOf(work));
  if (unknown || !assessment) return notes.violation(`No severity: ${JSON.stringify(unknown)}`, recipe);
  work.git('add', '-A');
  work.tries('commit', '--quiet', '-m', 'work');
  const conflicts = !work.tries('merge', '--quiet', '--no-edit', 'origin/main');
  notes.count(assessment.level);
  if ((assessment.level === 'high') !== conflicts)
    notes.violation(
      `Severity is ${assessment.level}, and a merge ${conflicts ? 'conflicts' : 'is clean'}`,
      recipe,
    );
  const touched = (range: string) => new Set(work.git('diff', '--name-only', range).split('\n'));
  if (conflicts || assessment.level === 'high') return;
  const shared = [...touched('HEAD^1...origin/main')].filter((path) =>
    touched('origin/main...HEAD^1').has(path),
  );
  if (assessment.level === 'low' && shared.some((path) => path !== '' && differs(work, path)))
    notes.violation(`Severity is low, and both changed ${shared}`, recipe);
});

/** Both changed it, and not to the same. */
function differs(work: Clone, path: string): boolean {
  return !work.tries('diff', '--quiet', 'HEAD^1', 'origin/main', '--', path);
}

/** Anything may be in the repository: neither a look nor a rebase that fails changes it. */
export const unchanged: DriftCampaign = campaign('unchanged', async (draws, dir, notes, recipe) => {
  const { ground } = randomGround(draws, dir);
  const { work } = ground;
  for (let commits = draws.below(3); commits > 0; commits--) {
    changeAnything(draws, work);
    work.commit('mine');
  }
  const known = await trackerOf(work);
  if (draws.oneIn(2)) changeAnything(draws, work);
  const situation = draws.pick(Object.keys(SITUATIONS));
  SITUATIONS[situation]!(draws, work);
  if (draws.oneIn(2)) changeAnything(draws, work);
  pushAnything(draws, ground);
  const before = pictureOf(work);
  const { assessment, unknown } = await detectIn(work, known);
  notes.count(`looks (${situation})`);
  notes.count(`severity ${unknown?.reason ?? assessment?.level ?? 'none'}`);
  if (!isDeepStrictEqual(pictureOf(work), before))
    notes.violation('A look changed the repository', `${recipe} ${situation}`);
  const why = await failingRebase(draws, work);
  notes.count(`refused: ${why}`);
  const differences = differencesOf(before, pictureOf(work));
  if (differences.length > 0)
    notes.violation(`A rebase that failed (${why}) changed ${differences}`, `${recipe} ${situation}`);
  if (work.git('for-each-ref', 'refs/vibe-engine/backup') !== '')
    notes.violation('A backup was left', recipe);
});

function pushAnything(draws: Random, { other }: Ground): void {
  const rewrite = draws.oneIn(6);
  if (rewrite) other.git('commit', '--quiet', '--amend', '--message', 'rewritten');
  for (let commits = 1 + draws.below(3); commits > 0; commits--) {
    changeAnything(draws, other);
    other.commit('theirs');
  }
  other.git('push', '--quiet', ...(rewrite ? ['--force'] : []), 'origin', 'HEAD');
}

/** Most fail by their tests, at the last moment but one; some when the first change is announced, at the last. */
async function failingRebase(draws: Random, work: Clone): Promise<string> {
  const late = draws.oneIn(4);
  try {
    await rebaseIn(work, late ? 'true' : 'exit 1', () => {
      throw new Error('the store is gone');
    });
    return 'nothing';
  } catch (error) {
    return error instanceof DriftError ? String(error.data.why ?? error.code) : String(error);
  }
}

async function rebaseIn(work: Clone, test_command: string, begin: () => void) {
  const git = gitOf(work);
  const sight = (await look(git, { wanted: null, fetch_timeout_ms: 20_000 })) as Sight;
  return rebase(git, {
    sight,
    commits_behind: 1,
    force_push: false,
    permitted: true,
    test_command,
    test_timeout_ms: 60_000,
    task: 't0',
    begin: async () => begin(),
  });
}

function differencesOf(before: Record<string, string>, after: Record<string, string>): string[] {
  return Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
}

/** A rebase that is done comes to what git's own rebase and a stash come to. */
export const rebases: DriftCampaign = campaign('rebases', async (draws, dir, notes, recipe) => {
  const { ground, files } = randomGround(draws, dir);
  const { work, other } = ground;
  plainWork(draws, work, files);
  if (draws.oneIn(2)) work.put('untracked.txt', 'untracked\n');
  plainPush(draws, other, files);
  cpSync(work.dir, join(dir, 'real'), { recursive: true });
  const real = cloneAt(join(dir, 'real'));
  const stash = real.git('status', '--porcelain') !== '';
  real.git('fetch', '--quiet');
  if (stash) real.git('stash', 'push', '--quiet', '--include-untracked');
  const moved = real.tries('rebase', '--quiet', 'origin/main');
  const whole = moved && (!stash || real.tries('stash', 'pop', '--quiet'));
  let done = false;
  try {
    await rebaseIn(work, 'true', () => {});
    done = true;
  } catch (error) {
    if (!(error instanceof DriftError)) throw error;
    notes.count(`refused: ${error.data.why}`);
  }
  if (!done && whole) notes.violation('Refused what git does without a conflict', recipe);
  if (!done) return;
  notes.count('done');
  if (!whole) return notes.violation('Done where git has a conflict', recipe);
  if (work.git('rev-parse', 'HEAD^{tree}') !== real.git('rev-parse', 'HEAD^{tree}'))
    notes.violation('Another tree than with git', recipe);
  const paths = real.git('ls-files', '--cached', '--others', '--exclude-standard').split('\n');
  const other_bytes = paths.filter((path) => !same(work, real, path));
  if (other_bytes.length > 0) notes.violation(`Other files than with git: ${other_bytes}`, recipe);
  if (!work.tries('fsck', '--strict')) notes.violation('The repository is broken', recipe);
});

function same(a: Clone, b: Clone, path: string): boolean {
  return readFileSync(join(a.dir, path)).equals(readFileSync(join(b.dir, path)));
}

export const CAMPAIGNS: readonly {
  readonly name: string;
  readonly run: DriftCampaign;
  readonly short: number;
  readonly long: number;
}[] = [
  { name: 'severity', run: severity, short: 6, long: 500 },
  { name: 'unchanged', run: unchanged, short: 8, long: 1000 },
  { name: 'rebases', run: rebases, short: 4, long: 200 },
];
