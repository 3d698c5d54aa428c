/** In a directory that has nothing, no command leaves anything behind but those that are there to begin something. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { CLI_VERBS } from '../../src/cli/verbs.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const BEGIN = ['demo', 'exec', 'config set', 'keys init'];
/** They change the settings of the agents on this machine, which are a developer's own. */
const OUTSIDE = ['hooks install', 'hooks remove'];
/** They serve until they are ended: the test of `ui` looks at its directory itself. */
const SERVE = ['ui'];
const LEFT_OUT = [...BEGIN, ...OUTSIDE, ...SERVE];
const verbs = (await allVerbs(CLI_VERBS)).filter(({ name }) => !LEFT_OUT.includes(name));

test.each(verbs.map((verb) => [verb.name, verb] as const))('%s', async (name, verb) => {
  const dir = tempDir();
  const words = Object.entries(verb.arguments ?? {}).map(([argument]) => SAMPLES[argument] ?? 'abc');
  for (const given of [[], words]) {
    let err = '';
    const exit = await runCli([...name.split(' '), ...given], {
      ...{ env: {}, cwd: dir, screen: null, interactive: false },
      out: () => {},
      err: (text) => {
        err += text;
      },
    });
    if (exit !== 0) expect(err).toMatch(/^error (USAGE|STORE_UNAVAILABLE): .+\nhint: /);
    expect(readdirSync(dir)).toEqual([]);
  }
});

const SAMPLES: Readonly<Record<string, string>> = {
  checkpoint: 'abc-1',
  key: 'persistence.path',
  shell: 'bash',
};
