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

export async function readSettings({
  project_dir,
  language,
}: Pick<Call, 'project_dir' | 'language'>): Promise<KnownSettings> {
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

export async function refuseKey(key: string, say: Call['say']): Promise<never> {
  const { refuseKey: refuse } = await import('./known.ts');
  return refuse(key, say);
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
