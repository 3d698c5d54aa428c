/**
 * A process that opens a store and runs lanes on it until it is told to stop, is killed, or meets an error. It says
 * how far it is, a line at a time, each written before anything else happens:
 * `open`, `opened`, `ack {lane} {n}`, `error {lane} {n} {code} {message}`, `closed`.
 */
import { writeSync } from 'node:fs';
import { codeOf } from './oracle.ts';
import { runLane } from './runner.ts';
import { importStore, openStore, type StorePlace } from './stores.ts';
import { makeLane } from './workload.ts';

export interface WriterOptions extends StorePlace {
  readonly seed: number;
  readonly lanes: readonly LaneStart[];
  /** How many operations each lane does before the store is closed; left out: until killed. */
  readonly count?: number;
  /** Waits for its lanes as a line on standard input before it opens the store, so that it is quick to start then. */
  readonly standby?: boolean;
}

export interface LaneStart {
  readonly name: string;
  /** The operation that it begins with. */
  readonly from: number;
}

const options = JSON.parse(process.argv[2]!) as WriterOptions;
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const { store, src } = options;
let { lanes } = options;
if (options.standby) {
  await importStore(src, store);
  say('standby');
  lanes = JSON.parse(await firstLine()) as LaneStart[];
}
try {
  say('open');
  const storage = await openStore(options);
  say('opened');
  await Promise.all(lanes.map((lane) => runOne(lane.name, lane.from)));
  await storage.close();
  say('closed');

  async function runOne(name: string, from: number): Promise<void> {
    const lane = makeLane(options.seed, name);
    const runner = runLane(storage, lane);
    const last = options.count === undefined ? Number.POSITIVE_INFINITY : from + options.count - 1;
    for (let n = from; n <= last; n++) {
      try {
        await runner.run(n);
      } catch (error) {
        say(`error ${name} ${n} ${codeOf(error)} ${oneLine(error)}`);
        return;
      }
      say(`ack ${name} ${n}`);
      try {
        await runner.tend(n);
      } catch (error) {
        say(`error ${name} ${n} ${codeOf(error)} ${oneLine(error)}`);
        return;
      }
    }
  }
} catch (error) {
  say(`error - 0 ${codeOf(error)} ${oneLine(error)}`);
}

async function firstLine(): Promise<string> {
  const line = await new Promise<string>((resolve) =>
    process.stdin.once('data', (bytes) => resolve(String(bytes))),
  );
  process.stdin.destroy();
  return line;
}

function oneLine(error: unknown): string {
  return String(error).replaceAll('\n', ' ');
}
