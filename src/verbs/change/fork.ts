/** `fork`: a new task from any checkpoint of another, which is left as it is. */
import { CorruptError, VibeError } from '../../errors.ts';
import { type Call, verb } from '../kit/verb.ts';
import { named } from '../shared/file-lines.ts';
import { doneBy } from '../shared/options.ts';

export const fork = verb({
  name: 'fork',
  group: 'change',
  files: true,
  arguments: { checkpoint: { about: 'argument.checkpoint', of: 'checkpoint' } },
  options: {
    name: { value: 'name', about: 'fork.option.name' },
    dir: { value: 'dir', about: 'fork.option.dir' },
  },
  examples: ['fork x7k2qf-4', 'fork x7k2qf-4 --name "the other way" --dir ../other'],
  data: {
    task: 'string',
    short: 'string',
    parent: 'string',
    checkpoint: 'string',
    changed_since: ['string'],
  },
  async run(call) {
    const { say, options } = call;
    const from = await (await call.ids()).checkpoint(call.args.checkpoint);
    const { name, dir } = options;
    // Files are needed only if they are to be written somewhere.
    const engine = await call.engine(dir !== undefined);
    const { id, parent, checkpoint } = await engine.fork(from, {
      ...(name === undefined ? {} : { task_name: name }),
      ...(dir === undefined ? {} : { working_dir: call.path(dir) }),
      ...doneBy(call),
    });
    const ids = await call.ids();
    const short = ids.short(id);
    // The fork exists: what cannot be read of the original task is only reported.
    const found = dir === undefined ? await changedSince(call, from).catch(damageOnly) : [];
    const changed_since = found instanceof VibeError ? [] : found;
    const back = call.invoke(`rollback --only=files ${ids.shortCheckpoint(from)}`);
    return {
      data: { task: id, short, parent, checkpoint, changed_since },
      lines: [
        ...(found instanceof VibeError
          ? [call.paint.warn(say('fork.unknown_since', { why: call.translate(found.message) }))]
          : []),
        ...(changed_since.length === 0
          ? []
          : [
              call.paint.warn(
                say('fork.changed_since', { count: changed_since.length, names: named(changed_since), back }),
              ),
            ]),
        say('fork.done', { id: short, command: call.invoke(`resume ${short}`) }),
      ],
    };
  },
});

function damageOnly(error: unknown): VibeError {
  if (error instanceof CorruptError) return error;
  throw error;
}

/** What the task it comes from did to files here after the checkpoint: the fork would do it again on top. */
async function changedSince(call: Pick<Call, 'reader'>, id: string): Promise<readonly string[]> {
  return (await (await call.reader()).changedAfter(id))?.changed ?? [];
}
