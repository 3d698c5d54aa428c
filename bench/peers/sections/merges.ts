/** Three-way merges of texts, from bytes to bytes, beside node-diff3. */
import { mergeText } from '../../../src/merge/text.ts';
import type { GitMerge } from '../../../test/merge/git-merges.ts';
import { type RealMerge, readCorpus } from '../../merge/corpus.ts';
import { bracesAndBlanks, largeFile, type Three } from '../../merge/generated.ts';
import { judgeMerges, mergedByGit } from '../../merge/judge.ts';
import { importFrom } from '../install.ts';
import type { Table } from '../results.ts';
import { type Side, takeRounds } from '../rounds.ts';
import type { Site } from './site.ts';

type Merge = (files: Three) => GitMerge;

export async function mergeTables(site: Site): Promise<Table[]> {
  const { sizes, corpus, installed, tell } = site;
  const { merge } = await importFrom<Diff3>(installed.get('diff3')!, 'node-diff3');
  const theirs: Merge = ({ base, ours, theirs: other }) => {
    const [a, o, b] = [ours, base, other].map((bytes) => bytes.toString().split('\n'));
    const { conflict, result } = merge(a!, o!, b!);
    return { clean: !conflict, bytes: Buffer.from(result.join('\n')) };
  };
  tell('merges');
  const source = largeFile(sizes.mergedLines, Math.ceil(sizes.mergedLines / 100));
  const braces = bracesAndBlanks(Math.ceil(sizes.mergedLines / 5));
  const tables: Table[] = [
    { id: 'merge-source', rows: await takeRounds(timed([source], theirs), sizes.fewRounds) },
    { id: 'merge-braces', rows: await takeRounds(timed([braces], theirs), sizes.fewRounds) },
  ];
  if (corpus === undefined) {
    tell('left out without --corpus DIR: real merges');
    return tables;
  }
  const rows = sample(readCorpus(corpus), sizes.realMerges);
  const sides = judged(rows, timed(rows, theirs), theirs, site);
  return [...tables, { id: 'merge-real', rows: await takeRounds(sides, sizes.fewRounds) }];
}

const ours: Merge = ({ base, ours: mine, theirs }) => {
  const { outcome, bytes } = mergeText(base, mine, theirs);
  return { clean: outcome === 'clean', bytes };
};

/** Milliseconds for all of them. */
function timed(files: readonly Three[], theirs: Merge): [Side, Side] {
  const side = (name: string, isOurs: boolean, merge: Merge): Side => ({
    name,
    ours: isOurs,
    async measure() {
      const start = performance.now();
      for (const file of files) merge(file);
      return performance.now() - start;
    },
  });
  return [side('Vibe Engine', true, ours), side('node-diff3', false, theirs)];
}

/** With what they got right, beside git. */
function judged(rows: readonly RealMerge[], sides: [Side, Side], theirs: Merge, { scratch }: Site): Side[] {
  const byGit = mergedByGit(rows, scratch.fresh('git-merges'));
  const wrongByGit = judgeMerges(rows, byGit, byGit).wrong;
  return sides.map((side, at) => {
    const { agreement, wrong } = judgeMerges(rows, rows.map([ours, theirs][at]!), byGit);
    const note = `as git in ${agreement.toFixed(1)} %; clean but not what people made of it: ${wrong} of ${rows.length} (git: ${wrongByGit})`;
    return { ...side, note: () => note };
  });
}

/** So many at most, from all over. */
function sample<Item>(items: readonly Item[], most: number): Item[] {
  const every = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_, n) => n % every === 0);
}

/** What is used of it. */
interface Diff3 {
  merge(a: string[], o: string[], b: string[]): { conflict: boolean; result: string[] };
}
