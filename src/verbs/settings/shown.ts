/** Settings in an answer: their shape, their values, their lines. */
import { type Cell, table } from '../format/table.ts';
import { tidy } from '../format/width.ts';
import type { Call } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';
import type { KnownSetting, KnownSettings } from './known.ts';

export const SETTING = {
  key: 'string',
  value: 'any',
  /** The value in the project's file while it is not trusted; null if nothing waits. */
  waiting: 'any',
  source: 'string',
  from: 'string|null',
  default: 'any',
  expects: 'string|null',
  description: 'string',
  variable: 'string|null',
} as const;

type Asked = Pick<Call, 'project_dir' | 'language' | 'say'>;

export async function readSettings({
  project_dir,
  language,
}: Pick<Asked, 'project_dir' | 'language'>): Promise<KnownSettings> {
  const { describeSettings } = await import('./known.ts');
  const { files, settings } = await describeSettings(project_dir, language);
  return {
    files,
    settings: settings.map((one) => ({
      ...one,
      value: plain(one.value),
      default: plain(one.default),
      waiting: plain(one.waiting),
    })),
  };
}

/** The settings that a key, a section or another name means; refused if there is none. */
export async function readNamed(key: string, call: Asked): Promise<KnownSetting[]> {
  const { settingsNamed, refuseKey } = await import('./known.ts');
  const found = settingsNamed((await readSettings(call)).settings, key);
  return found.length > 0 ? found : refuseKey(key, call.say);
}

export async function readOne(key: string, call: Asked): Promise<KnownSetting> {
  const found = (await readNamed(key, call)).find((one) => one.key === key);
  return found ?? (await import('./known.ts')).refuseKey(key, call.say);
}

export function settingLines(
  settings: readonly KnownSetting[],
  { say, paint, invoke }: Pick<Call, 'say' | 'paint' | 'invoke'>,
): string[] {
  const rows = settings.map(({ key, value, source, from }): Cell[] => [
    [key, paint.bold],
    shown(value),
    [from ?? say(`config.source.${source}`), paint.dim],
  ]);
  const waiting = settings.filter((one) => one.waiting !== null);
  return [
    ...table(rows, null),
    ...waiting.map(({ key, waiting: value }) =>
      tidy(say('config.waits', { key, value: JSON.stringify(value), command: invoke('trust') })),
    ),
  ];
}

export function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
