/**
 * Accepts settings under the names of the design documents, too. Each maps to one of our settings, converting units where
 * needed.
 */
import { phrase } from '../phrase.ts';
import { type Origin, refuseSettings, type SettingProblem, show, valueAt } from './problems.ts';
import { readText, type Setting, settingAt, variableFor } from './settings.ts';

interface Alias {
  readonly key: string;
  readonly path: readonly string[];
  /** The setting it maps to; null where we have no such setting. */
  readonly setting: string | null;
  readonly variable: string;
  /** An example value; null if it is written like that of the setting. */
  readonly example: string | null;
  /** The value in the setting's own form; undefined if it is invalid. */
  read(given: unknown): unknown;
  /** The setting's value in the form of this name. */
  write(value: unknown): unknown;
}

const MINUTES = { s: 1 / 60, m: 1, h: 60, d: 24 * 60 };
const DAYS = { h: 1 / 24, d: 1, w: 7 };
const KB = { B: 1 / 1024, KB: 1, MB: 1024 };
const MB = { KB: 1 / 1024, MB: 1, GB: 1024 };

const IN_SECTIONS: readonly Alias[] = [
  same('checkpoints.triggers.after_agent_completion', 'checkpoints.triggers.after_subagent'),
  same('checkpoints.triggers.before_bash', 'checkpoints.triggers.before_shell_command'),
  same('checkpoints.triggers.before_file_modification', 'checkpoints.triggers.before_file_change'),
  same('checkpoints.triggers.before_external_api_call', 'checkpoints.triggers.before_external_api'),
  same('checkpoints.triggers.after_user_interaction', 'checkpoints.triggers.after_user_input'),
  same('checkpoints.triggers.after_file_modification', 'checkpoints.triggers.after_file_change'),
  measured('checkpoints.triggers.interval', 'checkpoints.triggers.interval_minutes', '5m', MINUTES),
  measured('checkpoints.triggers.context_delta', 'checkpoints.triggers.context_growth_kb', '10KB', KB),
  measured('checkpoints.max_size', 'checkpoints.max_size_mb', '5MB', MB),
  {
    ...same('checkpoints.compression.enabled', 'checkpoints.compression'),
    example: 'true',
    read: readSwitch,
    write: (value) => value !== 'none',
  },
  same('checkpoints.compression.algorithm', 'checkpoints.compression'),
  measured('checkpoints.compression.threshold', 'checkpoints.compress_over_kb', '100KB', KB),
  measured('checkpoints.inline_threshold', 'checkpoints.blob_over_kb', '10KB', KB),
  measured('cleanup.retention.completed_tasks', 'cleanup.completed_days', '7d', DAYS),
  measured('cleanup.retention.failed_tasks', 'cleanup.failed_days', '30d', DAYS),
  {
    ...same('cleanup.retention.in_progress_tasks', null),
    example: 'unlimited',
    read: (given) => (given === 'unlimited' ? UNCHANGED : undefined),
    write: () => 'unlimited',
  },
  same('cleanup.max_checkpoints_per_task', 'cleanup.max_per_task'),
  same('cleanup.on_task_completion', 'cleanup.on_completion'),
  measured('cleanup.disk_usage', 'cleanup.disk_usage_percent', '80%', { '%': 1 }),
  same('drift.before_task_resume', 'drift.before_resume'),
  measured('drift.interval', 'drift.every_minutes', '10m', MINUTES),
];

/** The documents also use these without the section before them. */
const ALONE =
  /^(?:\w+\.(?=retention\.|compression\.|inline_threshold$)|checkpoints\.triggers\.(?=after_|before_))/;

export const ALIASES: readonly Alias[] = [
  ...IN_SECTIONS,
  ...IN_SECTIONS.filter(({ key }) => ALONE.test(key)).map((alias) => {
    const key = alias.key.replace(ALONE, '');
    const path = key.split('.');
    return { ...alias, key, path, variable: variableFor(path) };
  }),
];

export function aliasAt(key: string): Alias | undefined {
  return ALIASES.find((alias) => alias.key === key);
}

/** A value typed for this name, as the setting has it; `now` where it changes nothing. */
export function typedFor(alias: Alias, text: string, origin: Origin, now: unknown): unknown {
  const stands = alias.setting === null ? undefined : settingAt(alias.setting);
  const typed = readAlias(alias, stands, text);
  const value = alias.read(typed);
  if (value === undefined) refuseSettings(origin, [wrong(alias, typed)]);
  if (value !== UNCHANGED) return value;
  return stands && !alias.write(now) ? stands.default : now;
}

/** The text of a variable or an argument; a value with a unit stays text. */
export function readAlias({ example }: Alias, stands: Setting | undefined, text: string): unknown {
  if (example === 'true' && stands) return readText({ ...stands, kind: 'boolean' }, text);
  if (stands && (example === null || text === 'null')) return readText(stands, text);
  return text;
}

/** What a value of this name must be, in words that continue "expected …". */
export function expectedOf({ example, setting }: Alias): string {
  if (example === null) return settingAt(setting!)!.expects;
  return example === 'true' ? phrase`true or false` : phrase`a value such as "${example}"`;
}

/** The layer, with every alias replaced by the setting it maps to. */
export function resolveAliases<Given extends Origin & { readonly values: unknown }>(layer: Given): Given {
  const given = ALIASES.map((alias) => ({ alias, value: valueAt(layer.values, alias.path) })).filter(
    ({ value }) => value !== undefined,
  );
  if (given.length === 0) return layer;
  const problems: SettingProblem[] = [];
  let values = given.reduce((rest, { alias }) => withoutPath(rest, alias.path), layer.values);
  const set = new Map<string, { readonly key: string; readonly value: unknown }>();
  for (const { alias, value } of given) {
    const read = alias.read(value);
    if (read === undefined) problems.push(wrong(alias, value));
    else if (read === UNCHANGED || alias.setting === null) continue;
    else if (valueAt(values, settingAt(alias.setting)!.path) !== undefined)
      problems.push(givenTwice(alias.key, alias.setting));
    else if (set.get(alias.setting)?.key.endsWith(`.${alias.key}`))
      problems.push(givenTwice(alias.key, set.get(alias.setting)!.key));
    else if (!set.has(alias.setting)) set.set(alias.setting, { key: alias.key, value: read }); // `enabled: false` comes first.
  }
  if (problems.length > 0) refuseSettings(layer, problems);
  for (const [key, { value }] of set) values = withValue(values, settingAt(key)!.path, value);
  return { ...layer, values };
}

/** The values without any alias of this setting. */
export function withoutOtherNames(values: unknown, setting: string): unknown {
  const given = ALIASES.filter(
    (alias) => alias.setting === setting && valueAt(values, alias.path) !== undefined,
  );
  return given.reduce((rest, { path }) => withoutPath(rest, path), values);
}

/** The error for a setting that one layer sets under two names. */
export function givenTwice(alias: string, setting: string): SettingProblem {
  return {
    key: alias,
    expected: phrase`one of the two`,
    sentence: phrase`"${alias}" is another name of "${setting}", and both are given.`,
  };
}

const UNCHANGED = Symbol('unchanged');

function same(key: string, setting: string | null): Alias {
  const path = key.split('.');
  return { key, path, setting, variable: variableFor(path), example: null, read: itself, write: itself };
}

function itself(value: unknown): unknown {
  return value;
}

function measured(
  key: string,
  setting: string,
  example: string,
  units: Readonly<Record<string, number>>,
): Alias {
  const form = new RegExp(`^\\s*(\\d+(?:\\.\\d+)?)\\s*(${Object.keys(units).join('|')})\\s*$`, 'i');
  const nullable = settingAt(setting)?.nullable ?? false;
  const factor = (unit: string): number =>
    Object.entries(units).find(([name]) => name.toLowerCase() === unit.toLowerCase())![1];
  const read = (given: unknown): unknown => {
    if (given === null && nullable) return null;
    const match = typeof given === 'string' ? form.exec(given) : null;
    return match ? Number(match[1]) * factor(match[2]!) : undefined;
  };
  const [unit] = Object.entries(units).find(([, size]) => size === 1)!;
  const write = (value: unknown) => (value === null ? null : `${value}${unit}`);
  return { ...same(key, setting), example, read, write };
}

/** Compression is on by default, so only a value that turns it off changes anything. */
function readSwitch(given: unknown): unknown {
  if (given === false) return 'none';
  return given === true ? UNCHANGED : undefined;
}

function wrong(alias: Alias, value: unknown): SettingProblem {
  const { key } = alias;
  const expected = expectedOf(alias);
  return { key, expected, sentence: phrase`"${key}" is ${show(value)}; expected ${expected}.` };
}

type Values = Readonly<Record<string, unknown>>;

/** Also removes the object around it if that is left empty. */
export function withoutPath(values: unknown, [name, ...rest]: readonly string[]): unknown {
  const { [name!]: inner, ...others } = values as Values;
  const left = rest.length === 0 ? undefined : withoutPath(inner, rest);
  const gone = left === undefined || Object.keys(left as Values).length === 0;
  return gone ? others : { ...others, [name!]: left };
}

function withValue(values: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  const object = (values ?? {}) as Values;
  return { ...object, [name!]: rest.length === 0 ? value : withValue(object[name!], rest, value) };
}
