/** Ids as people type them: a task by the end or the beginning of its id or by its name, a checkpoint by task and number. */

import { nearest } from '../../config/nearest.ts';
import type { Reader } from '../../engine/reading/reader.ts';
import { answering, EngineError, InvalidInputError, VibeError } from '../../errors.ts';
import { firstNames } from '../../system/shortened.ts';
import { checkpointId, parseCheckpointId } from '../../task/keys.ts';
import { isFinal } from '../../task/status.ts';
import type { Say } from '../text/choose.ts';
import { shortener } from './short.ts';

type IdsReader = Pick<
  Reader,
  'ids' | 'state' | 'checkpointNumbers' | 'hasCheckpoint' | 'whyGone' | 'checkpointBefore'
>;

export interface Ids {
  /** Of all tasks, oldest first. */
  readonly all: readonly string[];
  /** The id that is meant; TASK_NOT_FOUND, or USAGE with those it could be. */
  task(given: string): Promise<string>;
  /** The same; CHECKPOINT_NOT_FOUND with those there are. */
  checkpoint(given: string): Promise<string>;
  /** The checkpoint of a task before a prompt or a call, by its agent's own id of it. */
  checkpointBefore(task: string, ref: string): Promise<string>;
  /** The shortest unique end of an id. */
  short(task: string): string;
  shortCheckpoint(id: string): string;
}

export async function readIds(reader: IdsReader, say: Say): Promise<Ids> {
  const all = await reader.ids();
  const known = new Set(all);
  const short = shortener(all);

  const named = async (given: string): Promise<{ id: string; name: string }[]> => {
    const states = await Promise.all(all.slice(-MOST_NAMES).map((id) => reader.state(id)));
    const names = states.flatMap((state) =>
      state ? [{ id: state.task_id, name: state.task_name, over: isFinal(state.status) }] : [],
    );
    const found = names.filter(({ name }) => name === given);
    // Of several tasks with the same name, the unfinished one is meant.
    const open = found.filter(({ over }) => !over);
    if (open.length === 1) return open;
    if (found.length > 0) return found;
    const of = parseCheckpointId(given)?.task;
    const near = of !== undefined && known.has(of) ? short(of) : undefined;
    const candidates = [...names.map(({ name }) => name), ...all.map(short), ...all];
    throw noTask(given, near ?? nearest(given, candidates), say);
  };

  const task = async (given: string): Promise<string> => {
    if (known.has(given)) return given;
    const word = given.toLowerCase();
    const matching =
      word.length < SHORTEST ? [] : all.filter((id) => id.endsWith(word) || id.startsWith(word));
    const found = matching.length > 0 ? matching.map((id) => ({ id, name: '' })) : await named(given);
    if (found.length === 1) return found[0]!.id;
    throw ambiguous(
      given,
      found.map(({ id }) => id),
      short,
      say,
    );
  };

  const checkpointsOf = async (id: string): Promise<string[]> =>
    (await reader.checkpointNumbers(id)).map((number) => `${short(id)}-${number}`);

  /** Only a task is given: suggests its newest checkpoint. */
  const notCheckpoint = async (given: string): Promise<EngineError> => {
    const id = await task(given).catch(answering(isUnknown, null));
    const there = id === null ? [] : await checkpointsOf(id);
    const newest = there.at(-1);
    return new EngineError('CHECKPOINT_NOT_FOUND', say('ids.not_checkpoint', { id: given }), {
      data: { id: given, nearest: newest ?? null, there },
      hint: (newest ? say('usage.nearest', { nearest: newest }) : '') + say('ids.list_checkpoints'),
    });
  };

  return {
    all,
    task,
    short,
    async checkpoint(given) {
      const exact = parseCheckpointId(given);
      const [, of, number] = /^(?:ckpt-)?(.+)-(\d{1,15})$/.exec(given) ?? [];
      if (of === undefined) throw await notCheckpoint(given);
      const id = exact && known.has(exact.task) ? exact.task : await task(of);
      if (await reader.hasCheckpoint(id, Number(number))) return checkpointId(id, Number(number));
      const gone = await reader.whyGone(id, Number(number));
      throw noCheckpoint(
        given,
        Number(number),
        { task: short(id), gone, there: await checkpointsOf(id) },
        say,
      );
    },
    async checkpointBefore(given, ref) {
      const id = await task(given);
      const found = await reader.checkpointBefore(id, ref);
      if (found !== null) return found;
      throw new EngineError('CHECKPOINT_NOT_FOUND', say('ids.no_place', { task: short(id), id: ref }), {
        data: { task: id, id: ref },
        hint: say('ids.no_place_hint', { task: short(id) }),
      });
    },
    shortCheckpoint(id) {
      const parsed = parseCheckpointId(id);
      return parsed ? `${short(parsed.task)}-${parsed.sequence}` : id;
    },
  };
}

function isUnknown(error: unknown): boolean {
  return error instanceof VibeError && ['TASK_NOT_FOUND', 'USAGE'].includes(error.code);
}

/** Fewer characters are refused: they would soon be ambiguous. */
const SHORTEST = 3;
/** How many tasks, the newest, are searched by name. */
const MOST_NAMES = 1000;
const MOST_LISTED = 10;

function noTask(given: string, near: string | undefined, say: Say): EngineError {
  const meant = near === undefined ? '' : say('usage.nearest', { nearest: near });
  return new EngineError('TASK_NOT_FOUND', say('ids.no_task', { id: given }), {
    data: { task: given, nearest: near ?? null },
    hint: meant + say('ids.list_tasks'),
  });
}

function ambiguous(
  given: string,
  found: readonly string[],
  short: (id: string) => string,
  say: Say,
): InvalidInputError {
  return new InvalidInputError('USAGE', say('ids.ambiguous', { id: given, count: found.length }), {
    data: { task: given, matching: found },
    hint: say('ids.could_be', { ids: firstNames(found.toReversed().map(short), MOST_LISTED) }),
  });
}

/** Numbers are left out where checkpoints were thinned, so the nearest is the one that was made next to it. */
function noCheckpoint(
  given: string,
  wanted: number,
  {
    task,
    gone,
    there,
  }: {
    readonly task: string;
    readonly gone: Awaited<ReturnType<Reader['whyGone']>>;
    readonly there: readonly string[];
  },
  say: Say,
): EngineError {
  const away = (id: string): number => Math.abs(Number(id.slice(id.lastIndexOf('-') + 1)) - wanted);
  const near = there.toSorted((a, b) => away(a) - away(b))[0];
  const newest = there.slice(-MOST_LISTED).join(', ');
  const why = gone && say(`ids.gone.${gone}`, { task });
  const hint =
    (why ?? '') +
    (near === undefined || gone ? '' : say('usage.nearest', { nearest: near })) +
    (there.length === 0
      ? say('ids.no_checkpoints')
      : say('ids.checkpoints_are', { task, ids: there.length > MOST_LISTED ? `…, ${newest}` : newest }));
  return new EngineError('CHECKPOINT_NOT_FOUND', say('ids.no_checkpoint', { id: given }), {
    data: { id: given, nearest: near ?? null, there, why: gone },
    hint,
  });
}
