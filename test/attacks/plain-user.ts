/** Commands of a plain user's tasks, each undone and redone in a project of its own: a process of that user, that answers JSON. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const FILES = ['a.txt', 'b.txt', 'closed/c.txt', 'closed/deep/d.txt'];
/** From the outermost in. */
const ALL = ['a.txt', 'b.txt', 'closed', 'closed/c.txt', 'closed/deep', 'closed/deep/d.txt'];

/** With modes; what is closed is opened to be looked at, and closed again. */
function looks(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const modes: [path: string, mode: number][] = [];
  for (const path of ALL.map((one) => join(dir, one))) {
    const stat = lstatSync(path);
    const mode = stat.mode & 0o777;
    modes.push([path, mode]);
    chmodSync(path, 0o700);
    found[path] = `${mode.toString(8)} ${stat.isDirectory() ? '' : readFileSync(path, 'utf8')}`;
  }
  for (const [path, mode] of modes.reverse()) chmodSync(path, mode);
  return found;
}

async function story(dir: string, command: string, watch: boolean) {
  mkdirSync(join(dir, 'closed', 'deep'), { recursive: true });
  for (const path of FILES) writeFileSync(join(dir, path), `${path}\n`);
  chmodSync(join(dir, 'b.txt'), 0o640);
  const open = () => openEngine({ project_dir: dir, workspace: { watch } });
  const before = looks(dir);
  const first = await open();
  const definition = defineTask('works', (task) => task.shell(command));
  const { id, outcome } = await first.start(definition, undefined);
  await outcome;
  await first.close();
  const after = looks(dir);
  const engine = await open();
  const undo = await engine.undo(id).catch((error: Error) => error.message);
  const undone = looks(dir);
  const redo = await engine.redo(id).catch((error: Error) => error.message);
  const redone = looks(dir);
  await engine.close();
  const left = [undo, redo].flatMap((one): unknown[] =>
    typeof one === 'string' ? [one] : [...(one.notes?.left ?? [])],
  );
  return { before, after, undone, redone, left };
}

const [base, watch, commands] = process.argv.slice(2) as [string, string, string];
const seen = [];
for (const [number, command] of (JSON.parse(commands) as string[]).entries())
  seen.push(await story(join(base, `project-${watch}-${number}`), command, watch === 'watched'));
process.stdout.write(JSON.stringify(seen));
