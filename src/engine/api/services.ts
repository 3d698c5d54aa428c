/** What every part of an engine can ask for: the store, the settings, the time, and those who are told or asked. */
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
  /** Told what a person would like to hear. */
  readonly notify: (lines: readonly string[]) => void;
  /** Told how far it is with what can take long. */
  readonly onProgress: OnProgress | undefined;
  readonly prompter: Prompter | undefined;
  /** How a command is typed where people read what is said. */
  readonly command: (words: string) => string;
}
