/** `export`: one task as one file, which `import` takes into any store. */

import { InvalidInputError } from '../errors.ts';
import { amountsOf } from './format/amounts.ts';
import { EXIT } from './kit/exit.ts';
import { type Call, verb } from './kit/verb.ts';

const ENDING = '.vibe-task';

export const exportVerb = verb({
  name: 'export',
  group: 'care',
  summary: 'export.summary',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    file: { about: 'export.argument.file', optional: true },
  },
  options: { replace: { about: 'export.option.replace' }, plain: { about: 'export.option.plain' } },
  examples: ['export x7k2qf', 'export x7k2qf ../review.vibe-task --replace'],
  data: {
    task: 'string',
    file: 'string',
    bytes: 'number',
    tasks: ['string'],
    entries: 'number',
    records: 'number',
    blobs: 'number',
    missing: ['string'],
  },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const task = await ids.task(call.args.task);
    const store = await call.store();
    if (store.config.encryption.enabled && !options.plain) throw sealed(say);
    const file = call.path(call.args.file ?? `${ids.short(task)}${ENDING}`);
    const { exportTask } = await import('../engine/portable/portable.ts');
    const data = await exportTask(store, task, file, { replace: options.replace });
    const { entries, blobs, missing } = data;
    const lines = [
      say('export.done', { file, size: amountsOf(call).bytes(data.bytes), entries, blobs }),
      ...(data.tasks.length > 1 ? [say('export.with', { count: data.tasks.length - 1 })] : []),
    ];
    if (missing.length === 0) return { data, lines };
    return { data, lines: [...lines, say('export.missing', { count: missing.length })], exit: EXIT.found };
  },
});

/** What was sealed leaves the store in the open only when somebody says so. */
function sealed(say: Call['say']): InvalidInputError {
  return new InvalidInputError('USAGE', say('export.sealed'), { hint: say('export.sealed_hint') });
}
