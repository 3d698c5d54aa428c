/** A plain user's tasks on files of another's, edited and then undone after a command: answers what came of it, as JSON. */
import { defineTask } from '../../src/engine/api/definition.ts';
import { openEngine } from '../../src/engine/engine.ts';

const engine = await openEngine({ project_dir: process.argv[2]!, workspace: true });
const edits = defineTask('edits', ({ files }) => files.edit('a.txt', (text) => `${text}more\n`));
const edited = await (await engine.start(edits, undefined)).outcome;
const runs = defineTask('runs', (task) => task.shell('echo more >> b.txt; echo own > own.txt'));
const { id, outcome } = await engine.start(runs, undefined);
await outcome;
const { files, notes } = await engine.undo(id);
await engine.close();
process.stdout.write(JSON.stringify({ edited, files, left: notes.left }));
