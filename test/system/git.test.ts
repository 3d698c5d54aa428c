import { expect, test } from 'vitest';
import { runGit } from '../../src/system/git/git.ts';

test('where git does not start, it is said whether that was by request', async () => {
  const nowhere = '/no/such/directory';
  expect(await runGit(nowhere, ['--version'])).toMatchObject({ code: null, errors: 'git does not start' });
  const signal = AbortSignal.abort();
  expect(await runGit(nowhere, ['--version'], { signal })).toMatchObject({
    code: null,
    errors: 'git was stopped',
  });
});
