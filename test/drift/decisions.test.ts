/** What is done about drift, and what is recommended: tables of pure functions. */
import { describe, expect, test } from 'vitest';
import { packageOf } from '../../src/drift/manifests.ts';
import { type Drift, decide, type Moment, type Policy, type UpstreamChoice } from '../../src/drift/policy.ts';
import { restartOrContinue, type Situation } from '../../src/drift/restart.ts';

const QUIET: Drift = {
  level: 'none',
  undecided: false,
  force_push: false,
  branch_switched: false,
  remarkable: false,
};
const news = (level: Drift['level'], more: Partial<Drift> = {}): Drift => ({
  ...QUIET,
  level,
  undecided: true,
  ...more,
});
const ASK: Policy = { on_upstream: 'ask', auto_rebase: false };

describe('the action', () => {
  const cases: readonly [string, Drift, Moment, Partial<Policy>, string][] = [
    ['nothing', QUIET, 'resume', {}, 'continue'],
    ['nothing', QUIET, 'timer', {}, 'continue'],
    ['HEAD moved', { ...QUIET, remarkable: true }, 'resume', {}, 'notify'],
    ['low', news('low'), 'timer', {}, 'continue'],
    ['medium', news('medium'), 'timer', {}, 'notify'],
    ['high', news('high'), 'timer', {}, 'pause'],
    ['high', news('high'), 'commit', {}, 'pause'],
    ['high that was decided', { ...QUIET, level: 'high' }, 'commit', {}, 'continue'],
    ['high', news('high'), 'timer', { on_upstream: 'ignore' }, 'notify'],
    ['low', news('low'), 'timer', { on_upstream: 'abort' }, 'pause'],
    ['low, with permission', news('low'), 'timer', { auto_rebase: true }, 'continue'],
    ['force push', news('low', { force_push: true }), 'timer', {}, 'pause'],
    ['branch switched', { ...QUIET, branch_switched: true }, 'timer', { on_upstream: 'ignore' }, 'pause'],
    ['branch switched', { ...QUIET, branch_switched: true }, 'resume', { on_upstream: 'ignore' }, 'confirm'],
    ['low', news('low'), 'resume', {}, 'continue'],
    ['medium', news('medium'), 'resume', {}, 'ask ignore rebase restart abort'],
    ['high', news('high'), 'resume', {}, 'ask ignore restart abort'],
    ['low', news('low'), 'resume', { on_upstream: 'ignore' }, 'notify'],
    ['low', news('low'), 'resume', { on_upstream: 'rebase' }, 'rebase'],
    ['low', news('low'), 'resume', { on_upstream: 'abort' }, 'abort'],
    ['low', news('low'), 'resume', { on_upstream: 'restart' }, 'restart'],
    ['force push', news('high', { force_push: true }), 'resume', { on_upstream: 'restart' }, 'restart'],
    ['nothing', QUIET, 'resume', { on_upstream: 'restart' }, 'continue'],
    ['low, with permission', news('low'), 'resume', { auto_rebase: true }, 'rebase'],
    ['high, with permission', news('high'), 'resume', { auto_rebase: true }, 'ask ignore restart abort'],
    ['force push', news('high', { force_push: true }), 'resume', {}, 'ask ignore abort'],
    [
      'force push',
      news('high', { force_push: true }),
      'resume',
      { on_upstream: 'rebase' },
      'ask ignore abort',
    ],
    ['low that was decided', { ...QUIET, level: 'low' }, 'resume', {}, 'continue'],
  ];
  test.each(cases)('%s: %o at %s, %o: %s', (_name, drift, moment, policy, wanted) => {
    const action = decide(drift, moment, { ...ASK, ...policy });
    expect('options' in action ? ['ask', ...action.options].join(' ') : action.do).toBe(wanted);
  });
});

describe('restart or continue', () => {
  const early: Situation = {
    progress: 10,
    level: 'high',
    force_push: false,
    preference: 'auto',
    restart_below: 20,
  };
  const cases: readonly [Partial<Situation>, string, UpstreamChoice, RegExp][] = [
    [{}, 'restart', 'restart', /^Only 10 % of the task is done, below 20 %, and severity is high/],
    [{ progress: 20 }, 'merge_and_continue', 'abort', /^20 % of the task is done, which is worth keeping/],
    [{ level: 'medium' }, 'merge_and_continue', 'rebase', /can be merged in/],
    [{ level: 'low' }, 'merge_and_continue', 'ignore', /can be merged in/],
    [{ level: 'none', force_push: true }, 'restart', 'abort', /upstream was rewritten/],
    [{ progress: 60, force_push: true }, 'merge_and_continue', 'abort', /upstream was rewritten/],
    [{ preference: 'continue' }, 'merge_and_continue', 'abort', /what the settings prefer/],
    [{ preference: 'merge_and_continue' }, 'merge_and_continue', 'abort', /what the settings prefer/],
    [{ progress: 90, level: 'low', preference: 'restart' }, 'restart', 'restart', /what the settings prefer/],
    [{ progress: 40, restart_below: 50 }, 'restart', 'restart', /below 50 %/],
  ];
  test.each(cases)('%o: %s', (given, recommend, choice, because) => {
    const answer = restartOrContinue({ ...early, ...given });
    expect(answer).toEqual({ recommend, choice, because: expect.stringMatching(because) });
  });
});

test('manifests and lock files belong together within a directory', () => {
  expect(packageOf('a/package.json')).toBe(packageOf('a/pnpm-lock.yaml'));
  expect(packageOf('a/package.json')).not.toBe(packageOf('b/package-lock.json'));
  expect(packageOf('Cargo.toml')).toBe(packageOf('Cargo.lock'));
  expect(packageOf('requirements-dev.txt')).toBe(packageOf('poetry.lock'));
  expect(packageOf('src/package.ts')).toBeNull();
});
