/** A secret in every field of every kind of task: no verb that the page may call tells it, neither what looks nor what changes. */
import { expect, test } from 'vitest';
import { changes } from '../../src/dashboard/offered.ts';
import { openEngine } from '../../src/engine/engine.ts';
import { allVerbs } from '../../src/verbs/kit/registry.ts';
import { VERBS } from '../../src/verbs/verbs.ts';
import { tempDirs } from '../support/temp.ts';
import { everyScreen, type World } from './browser/every-screen.ts';
import { dashboards, post } from './open.ts';

const open = dashboards();
const tempDir = tempDirs();

const TOKEN = `gh${'p_'}${'aB3d'.repeat(9)}`;
/** Of which no line says by itself what it is. */
const BODY = Array.from(
  { length: 14 },
  (_, at) => `MIIEv${at}QIBADANBgkqhkiG9w0BAQEFAASC${'Zx9'.repeat(10)}`,
);
const PEM = ['-----BEGIN PRIVATE KEY-----', ...BODY, '-----END PRIVATE KEY-----'].join('\n');

/** Also in bytes that are told as base64. */
function leaksIn(text: string): string[] {
  const bytes = (text.match(/[A-Za-z0-9+/]{40,}={0,2}/g) ?? []).map((one) =>
    Buffer.from(one, 'base64').toString('latin1'),
  );
  return [TOKEN, ...BODY].filter((secret) => [text, ...bytes].some((told) => told.includes(secret)));
}

/** What each verb is asked about, in every way that the page has. */
function asked({ edits, checkpoint, fork, collides, question, failed }: World, seqs: readonly number[]) {
  const tasks = [edits, collides, failed];
  const each = (verb: string, options: object = {}) =>
    tasks.map((task) => [verb, { task }, options] as const);
  const previewed = { 'dry-run': true };
  return [
    ...['tasks', 'questions', 'locks', 'tree', 'doctor', 'config', 'drift'].map(
      (verb) => [verb, {}, {}] as const,
    ),
    ...[
      'show',
      'history',
      'timeline',
      'checkpoints list',
      'conversations',
      'conversation',
      'files',
      'tree',
    ].flatMap((verb) => each(verb)),
    ...each('timeline', { bins: 20 }),
    ...each('show', { brief: true }),
    ...each('drift', { stored: true }),
    ...each('resume', previewed),
    ...each('undo', previewed),
    ...seqs.map((seq) => ['entry', { task: edits, seq: String(seq) }, {}] as const),
    ['checkpoints inspect', { checkpoint }, {}],
    ['checkpoints diff', { from: 'start', to: 'now' }, { task: edits }],
    ['checkpoints diff', { from: 'start', to: 'now' }, { task: edits, path: ['a.txt', 'key.txt'] }],
    ['checkpoints diff', { from: checkpoint, to: 'now' }, { task: edits, path: ['key.txt'], context: 1 }],
    ['compare', { a: edits, b: fork }, {}],
    ['conflicts show', { task: collides, id: question }, {}],
    ['rollback', { checkpoint }, previewed],
    ['rollback', { checkpoint }, { ...previewed, path: ['key.txt', 'a.txt'], file: ['a.txt=merge'] }],
    ['take', { from: fork, into: edits }, previewed],
    ['rebase', { task: edits }, previewed],
    ['clean', {}, { ...previewed, completed: true }],
    // Refused, and what is refused is not repeated.
    ['questions answer', { task: collides, id: question, value: TOKEN }, {}],
    ['show', { task: TOKEN }, {}],
    // Done: what they answer is told, too.
    ['rollback', { checkpoint }, { yes: true, file: ['a.txt=merge'] }],
    ['redo', { task: edits }, previewed],
    ['redo', { task: edits }, { yes: true }],
    ['fork', { checkpoint }, { name: TOKEN }],
    ['undo', { task: edits }, { yes: true, file: ['a.txt=merge'] }],
    ['conflicts resolve', { task: collides, id: question }, { hunk: ['1=ours', '2=theirs'] }],
    ['cancel', { task: edits }, {}],
  ] as readonly (readonly [verb: string, args: object, options: object])[];
}

test('a token and a private key in every field reach no answer', async () => {
  const both = (text: string): string => `${text} ${TOKEN}\n${PEM}`;
  const { options, arrange } = everyScreen(tempDir(), both, (text) => `${text} ${TOKEN}`);
  const { dir, tasks, workspace, questions } = options as Required<typeof options>;
  const engine = await openEngine({ project_dir: dir, tasks, workspace, questions, signals: false });
  try {
    const world = await arrange(engine);
    const server = await open({ dir });
    const { rows } = await engine.reader.timeline(world.edits, { limit: 1000 });
    const calls = asked(
      world,
      rows.map(({ seq }) => seq),
    );
    const told = new Set<string>();
    const found: string[] = [];
    for (const [verb, args, given] of calls) {
      const { status, ...answer } = await post(server, verb, { args, options: given });
      const text = JSON.stringify(answer);
      if (status === 200 && text.includes('•')) told.add(verb);
      const leaks = leaksIn(text);
      if (leaks.length > 0)
        found.push(`${verb} ${JSON.stringify(given)}: ${leaks[0]} in ${around(text, leaks[0]!)}`);
    }
    expect(found).toEqual([]);
    for (const verb of [
      'tasks',
      'show',
      'timeline',
      'entry',
      'checkpoints diff',
      'conflicts show',
      'rollback',
    ])
      expect([...told]).toContain(verb);
    expect(await leftOut(calls)).toEqual([]);
  } finally {
    await engine.close();
  }
});

const around = (text: string, part: string): string =>
  text.slice(Math.max(0, text.indexOf(part) - 160), text.indexOf(part));

/** So that a verb that is added later is asked here, too. */
async function leftOut(calls: ReturnType<typeof asked>): Promise<string[]> {
  const known = new Set(calls.map(([verb]) => verb));
  return (await allVerbs(VERBS))
    .filter((verb) => !changes(verb) && verb.group !== 'care')
    .map(({ name }) => name)
    .filter((name) => !known.has(name) && !SAY_NOTHING.includes(name));
}

/** They tell nothing of tasks, or are shown by another one whole. */
const SAY_NOTHING: readonly string[] = ['status', 'ui'];
