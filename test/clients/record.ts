/**
 * `node test/clients/record.ts [--only claude,codex] [--session write,edit]`: plays the sessions with the real clients and keeps the
 * events of their hooks, and their transcripts, as the files in events/ that `npm test` reads. Run it when a pinned version changes.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLIENTS, type ClientName } from './install.ts';
import type { Asked } from './model/script.ts';
import { DRIVERS } from './run.ts';
import { SESSIONS, type Session } from './sessions.ts';
import { type Stage, setStage } from './stage.ts';

export const EVENTS: string = join(import.meta.dirname, 'events');

export interface Recorded {
  /** Every event of a hook, one JSON text each. */
  readonly events: readonly string[];
  /** The transcript files of the client, where it has any, each as its lines. */
  readonly transcripts: readonly string[];
  readonly asked: readonly Asked[];
}

/** Plays the session; what names a place of this machine is replaced by a word in braces. */
export async function record(client: ClientName, session: Session): Promise<Recorded> {
  await using stage = await setStage(client, session.scripts, { git: session.git ?? true });
  const sessions = await session.play(stage);
  const events = (await stage.events()).map((event) => JSON.stringify(event));
  const files = await Promise.all(sessions.map((id) => DRIVERS[client].transcripts?.(stage.place, id) ?? []));
  const texts = await Promise.all([...new Set(files.flat())].map((file) => readFile(file, 'utf8')));
  return {
    events: events.map((event) => withoutPlaces(event, stage)),
    transcripts: texts.map((text) => withoutPlaces(shortened(text), stage)),
    asked: stage.model.asked,
  };
}

/** Claude Code names a directory after a project's path, with all its signs as dashes. */
function withoutPlaces(text: string, { place, root, model }: Stage): string {
  const dashed = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, '-');
  const places: [string, string][] = [
    [place.project, '{project}'],
    [place.home, '{home}'],
    [root, '{root}'],
    [dashed(place.project), '{project-name}'],
    [model.url, '{model}'],
    [import.meta.dirname, '{test}'],
    [process.execPath, '{node}'],
  ];
  // opencode names files without the slash at their beginning.
  const bare = places.slice(0, 3).map(([path, word]): [string, string] => [path.slice(1), word]);
  return [...places, ...bare].reduce((said, [path, word]) => said.replaceAll(path, word), text);
}

/** Clients keep their own prompts in transcripts, hundreds of kilobytes that tell nothing of a session. */
function shortened(transcript: string): string {
  const short = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > 400
      ? `${value.slice(0, 100)}{${value.length} characters}`
      : value;
  const line = (text: string) => {
    const fields = Object.entries(JSON.parse(JSON.stringify(JSON.parse(text), short)) as object);
    const kept = fields.map(([name, value]) => [
      name,
      JSON.stringify(value).length > 4_000 ? '{large}' : value,
    ]);
    return `${JSON.stringify(Object.fromEntries(kept))}\n`;
  };
  const lines = transcript.split('\n').filter((text) => text !== '');
  return lines.map(line).join('');
}

async function keep(client: ClientName, { name }: Session, { events, transcripts }: Recorded): Promise<void> {
  const at = (ending: string) => join(EVENTS, client, `${name}.${ending}.jsonl`.replace('..', '.'));
  await mkdir(join(EVENTS, client), { recursive: true });
  await writeFile(at(''), events.map((event) => `${event}\n`).join(''));
  for (const [number, text] of transcripts.entries())
    await writeFile(at(number === 0 ? 'transcript' : `transcript-${number + 1}`), text);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { only: { type: 'string' }, session: { type: 'string' } } });
  const clients = CLIENTS.filter((client) => values.only?.split(',').includes(client) ?? true);
  const sessions = SESSIONS.filter(({ name }) => values.session?.split(',').includes(name) ?? true);
  for (const client of clients) {
    if (values.session === undefined) await rm(join(EVENTS, client), { recursive: true, force: true });
    for (const session of sessions.filter(({ not }) => not?.[client] === undefined)) {
      const recorded = await record(client, session);
      await keep(client, session, recorded);
      console.log(`${client} ${session.name}: ${recorded.events.length} events`);
    }
  }
}
