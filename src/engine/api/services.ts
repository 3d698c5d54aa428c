/** What every part of an engine can use: the store, the settings, the clock, and the callbacks for notices and questions. */
import type { Config } from '../../config/types.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import type { OnProgress } from '../../system/progress.ts';
import type { Emit, Events } from './events.ts';
import type { Prompter } from './prompter.ts';

export interface Services {
  readonly storage: Storage;
  readonly config: Config;
  readonly clock: Clock;
  readonly project_dir: string;
  readonly emit: Emit;
  readonly on: Events['on'];
  /** Called with notices for people. */
  readonly notify: (lines: readonly string[]) => void;
  /** Called with the progress of long operations. */
  readonly onProgress: OnProgress | undefined;
  readonly prompter: Prompter | undefined;
  /** How a command line is written in notices. */
  readonly command: (words: string) => string;
}
