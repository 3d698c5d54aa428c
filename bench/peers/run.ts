/**
 * One run: installs the peers, measures section by section, prints the page and which bars were met, and writes the page if all
 * of it was measured.
 */
import { execFileSync } from 'node:child_process';
import build from '../../test/support/built.ts';
import { loadNow, machineFacts } from '../harness/machine.ts';
import { UsageError } from '../harness/options.ts';
import { asTable } from '../harness/report.ts';
import type { Scratch } from '../harness.ts';
import { reportOf } from './bars.ts';
import { CONTENDERS } from './contenders.ts';
import { installPeer } from './install.ts';
import { type Options, parseOptions, type SectionName } from './options.ts';
import { writeDocuments } from './page/documents.ts';
import { pageOf } from './page/page.ts';
import type { Results, Table } from './results.ts';
import { reasonOf } from './rounds.ts';
import { growthTables } from './sections/growth.ts';
import { mergeTables } from './sections/merges.ts';
import { recoveryTable } from './sections/recovery.ts';
import type { Site } from './sections/site.ts';
import { snapshotTables } from './sections/snapshots.ts';
import { stepsTables } from './sections/steps.ts';
import { PEERS, type PeerName } from './versions.ts';

interface Section {
  /** It is left out where none of them is there. */
  readonly peers: readonly PeerName[];
  measure(site: Site): Promise<Table[]>;
}

const DURABLE: readonly PeerName[] = ['langgraph', 'dbos', 'restate', 'vercel'];

const SECTIONS: Record<SectionName, Section> = {
  steps: { peers: DURABLE, measure: stepsTables },
  growth: { peers: DURABLE, measure: growthTables },
  recovery: { peers: DURABLE, measure: recoveryTable },
  snapshots: { peers: ['shadow'], measure: snapshotTables },
  merges: { peers: ['diff3'], measure: mergeTables },
};

export async function runPeers(scratch: Scratch, args: readonly string[]): Promise<number> {
  const tell = (text: string) => console.error(text);
  try {
    const options = parseOptions(args);
    const results = await measureAll(scratch, options, tell);
    const bars = reportOf(results, loadNow());
    if (options.json) console.log(JSON.stringify({ ...results, bars }, null, 2));
    else console.log(bars ? `${pageOf(results)}\n${asTable(bars)}` : pageOf(results));
    if (options.whole) for (const path of writeDocuments(results)) tell(`wrote ${path}`);
    return bars === null || bars.passed ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    tell(error.message);
    return 2;
  }
}

async function measureAll(scratch: Scratch, options: Options, tell: Site['tell']): Promise<Results> {
  const machine = machineFacts(scratch.directory); // Before our own work is part of the load.
  build(); // We are measured as we are published.
  const { sizes, corpus, peers, sections } = options;
  const { installed, absent } = await installAll(peers, tell);
  const contenders = CONTENDERS.filter(({ peer }) => peer === null || installed.has(peer));
  const site: Site = { scratch, sizes, contenders, installed, corpus, tell };
  const tables: Table[] = [];
  const failed: Record<string, string> = {};
  for (const name of sections) {
    const { peers: against, measure } = SECTIONS[name];
    if (!against.some((peer) => installed.has(peer))) continue;
    try {
      tables.push(...(await measure(site)));
    } catch (error) {
      failed[name] = reasonOf(error);
      tell(`failed: ${name}: ${failed[name]}`);
    }
  }
  return {
    date: new Date().toISOString(),
    machine,
    sizes,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).trim(),
    packages: Object.fromEntries([...installed.keys()].map((name) => [name, PEERS[name].packages])),
    absent,
    failed,
    tables,
  };
}

async function installAll(peers: readonly PeerName[], tell: Site['tell']) {
  const installed = new Map<PeerName, string>();
  const absent: Partial<Record<PeerName, string>> = {};
  for (const name of peers) {
    try {
      installed.set(name, await installPeer(PEERS[name]));
    } catch (error) {
      absent[name] = reasonOf(error);
      tell(`left out: ${PEERS[name].title}: ${absent[name]}`);
    }
  }
  return { installed, absent };
}
