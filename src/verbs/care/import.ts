/** `import`: imports an exported task, from any store. Existing data is never changed. */
import { isAbsolute, relative, sep } from 'node:path';
import { verb } from '../kit/verb.ts';
import { plain } from '../shared/plain.ts';

export const importVerb = verb({
  name: 'import',
  group: 'care',
  arguments: { file: { about: 'import.argument.file' } },
  options: { 'max-size': { value: 'mb', number: { min: 1 }, about: 'import.option.max_size' } },
  examples: ['import x7k2qf.vibe-task', 'import ../review.vibe-task --project ../other'],
  data: {
    task: 'string',
    task_name: 'string',
    status: 'string',
    tasks: ['string'],
    entries: 'number',
    blobs: 'number',
    origin: 'any',
    working_dir: 'string',
    exported_at: 'time',
  },
  async run(call) {
    const { say } = call;
    const portable = await import('../../engine/portable/portable.ts');
    const { importTask, PORTABLE_LIMITS, requireExport } = portable;
    const file = call.path(call.args.file);
    requireExport(file);
    const engine = await call.worker([]);
    const size = call.options['max-size'];
    const max_bytes = size === undefined ? PORTABLE_LIMITS.max_bytes : size * 1024 * 1024;
    const imported = await importTask(engine, file, { ...PORTABLE_LIMITS, max_bytes }, call.onProgress);
    const { task, task_name: name, entries, blobs, origin, working_dir: dir } = imported;
    const { readIds } = await import('../kit/ids.ts');
    const short = (await readIds(engine.reader, say)).short(task);
    const next = await engine.reader.nextCommand(task);
    const codes = [codeOf(origin), next?.line, next?.or].filter((code) => typeof code === 'string');
    return {
      data: { ...imported, origin: plain(origin) },
      lines: [
        say('import.done', { name, id: short, entries, blobs }),
        ...codes.map((code, at) =>
          at === 0 ? say('import.runs', { code }) : say('exec.may_run', { command: code }),
        ),
        ...(isInside(engine.project_dir, dir) ? [] : [say('import.works_in', { dir })]),
        say('import.next', { command: call.invoke(`show ${short}`) }),
      ],
    };
  },
});

function isInside(project: string, dir: string): boolean {
  const inside = relative(project, dir);
  return !isAbsolute(inside) && inside.split(sep)[0] !== '..';
}

/** The file that would be loaded when it is resumed: worth checking if the file came from someone else. */
function codeOf(origin: Readonly<Record<string, unknown>> | null): string | null {
  return origin?.kind === 'file' && typeof origin.path === 'string' ? origin.path : null;
}
