/** The one contract suite: every back end runs all of it. A skipped case says why. */
import { describe, it } from 'vitest';
import { blobCases } from './cases/blobs.ts';
import { changeCases } from './cases/changes.ts';
import { claimCases } from './cases/claims.ts';
import { commitCases } from './cases/commits.ts';
import { damageCases } from './cases/damage.ts';
import { journalCases } from './cases/journals.ts';
import { keyCases } from './cases/keys.ts';
import { lifeCases } from './cases/life.ts';
import { modelCases } from './cases/model.ts';
import { pagingCases } from './cases/paging.ts';
import { processCases } from './cases/processes.ts';
import { recordCases } from './cases/records.ts';
import { refusalCases } from './cases/refusals.ts';
import { taskCases } from './cases/tasks.ts';
import { valueCases } from './cases/values.ts';
import { type Cases, type Harness, runCase } from './harness.ts';

const TOPICS: Readonly<Record<string, Cases>> = {
  records: recordCases,
  values: valueCases,
  keys: keyCases,
  paging: pagingCases,
  commits: commitCases,
  refusals: refusalCases,
  journals: journalCases,
  blobs: blobCases,
  tasks: taskCases,
  claims: claimCases,
  changes: changeCases,
  life: lifeCases,
  damage: damageCases,
  'several processes': processCases,
  model: modelCases,
};

export function storageContract(name: string, harness: Harness, left_out: readonly string[] = []): void {
  for (const [topic, cases] of Object.entries(TOPICS)) {
    if (left_out.includes(topic)) continue;
    describe(`${name}: ${topic}`, () => {
      for (const [title, run] of Object.entries(cases)) {
        it(title, async (test) => {
          const reason = harness.skip?.[title];
          if (reason !== undefined) {
            console.log(`${name}: "${title}" is skipped: ${reason}`);
            test.skip(reason);
          }
          await runCase(harness, run);
        });
      }
    });
  }
}
