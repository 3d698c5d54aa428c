/** `export`: one task as one file, which `import` takes into any store. */

import { amountsOf } from '../kit/amounts.ts';
import { EXIT } from '../kit/exit.ts';
import { verb } from '../kit/verb.ts';

const ENDING = '.vibe-task';

export const exportVerb = verb({
  name: 'export',
  group: 'care',
  arguments: {
    task: { about: 'argument.task', of: 'task' },
    file: { about: 'export.argument.file', optional: true },
  },
  options: { replace: { about: 'export.option.replace' }, reveal: { about: 'export.option.reveal' } },
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
    masked: 'number',
    withheld: [{ id: 'string', path: 'string|null' }],
  },
  async run(call) {
    const { say, options } = call;
    const ids = await call.ids();
    const task = await ids.task(call.args.task);
    const store = await call.store();
    const file = call.path(call.args.file ?? `${ids.short(task)}${ENDING}`);
    const { exportTask } = await import('../../engine/portable/portable.ts');
    const data = await exportTask(store, task, file, {
      replace: options.replace,
      mask: !options.reveal,
      onProgress: call.onProgress,
    });
    const { entries, blobs, missing, masked, withheld } = data;
    const files = withheld.map(({ id, path }) => path ?? id).join(', ');
    const lines = [
      say('export.done', { file, size: amountsOf(call).bytes(data.bytes), entries, blobs }),
      ...(data.tasks.length > 1 ? [say('export.with', { count: data.tasks.length - 1 })] : []),
      ...(masked > 0 ? [say('export.masked', { count: masked })] : []),
      ...(withheld.length > 0 ? [say('export.withheld', { count: withheld.length, files })] : []),
      ...(masked + withheld.length > 0 && !options.reveal ? [say('export.reveal')] : []),
      ...(store.config.encryption.enabled ? [say('export.open')] : []),
    ];
    if (missing.length === 0) return { data, lines };
    return { data, lines: [...lines, say('export.missing', { count: missing.length })], exit: EXIT.found };
  },
});
