/** What must hold after `resume` of a damaged task. Answers how it went, or throws what was broken. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Broken } from '../crash/oracle.ts';
import type { Damage } from './damages.ts';
import { STEPS } from './job-steps.ts';
import type { JudgeKept } from './kept.ts';
import type { Ran } from './shell.ts';
import { expected, type World } from './world.ts';

export const REFUSED = 'said why not';

interface Answer {
  readonly ok: boolean;
  readonly data?: {
    readonly status: string;
    readonly output: { before: string; messages: number } | null;
    error?: string;
  };
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
}

export async function judge(
  world: World,
  damages: readonly Damage[],
  ran: Ran,
  kept: JudgeKept,
  again?: () => Promise<Ran>,
): Promise<string> {
  if ('broke' in ran) throw new Broken(ran.broke);
  if (/\n\s+at .*:\d+:\d+/.test(ran.err + ran.out) || ran.err.includes('THROWN'))
    throw new Broken(`a stack is shown: ${ran.err.slice(-600)}`);
  const answer = answerOf(ran.out);
  await kept(answer.ok ? ran.err : `${ran.err}${answer.error!.message}`);
  const did = world.ran();
  if (answer.ok && stoppedByIt(damages, answer.data!, ran.err)) return 'was stopped by it on the way';
  if (answer.ok && (again || !AS_CHOSEN.test(ran.err))) judgeFiles(world);
  if (!answer.ok && again && answer.error!.hint.includes('--on-modified use_current'))
    return `said what to type, then ${await judge(world, damages, await again(), kept)}`;
  if (!answer.ok) return judgeRefusal(damages, answer.error!, did);
  const { status, output, error } = answer.data!;
  if (status !== 'completed') throw new Broken(`the task ended as ${status}: ${error}`);
  if (output?.before !== expected('from the start '.repeat(150)).before)
    throw new Broken(`the task came to another result: ${output?.before.slice(0, 200)}`);
  const from = world.encrypted ? 0 : Math.min(...damages.map((damage) => damage.from));
  for (const { seq, data } of world.entries)
    if (data.t === 'step' && seq < from && did.includes(data.name!))
      throw new Broken(
        `step ${data.name} was run again, though entry ${seq} lies before the damage (${from})`,
      );
  const repeated = did.length > 0;
  if (repeated && !/damaged|lost|passed over/.test(ran.err))
    throw new Broken(`${did.join(', ')} ran again without a word about it: ${ran.err}`);
  return repeated
    ? did.length >= STEPS.length
      ? 'went on from the beginning'
      : 'went on from before it'
    : 'lost nothing';
}

/** A person who resumes with edits that cannot be undone is told so again. */
const AS_CHOSEN = /The files stay as they are|was left as it is: as chosen/;

function answerOf(out: string): Answer {
  try {
    return JSON.parse(out) as Answer;
  } catch {
    throw new Broken(`no answer: ${out.slice(0, 300)}`);
  }
}

/** A database file whose pages are not what they were may say so only when the run has begun. */
function stoppedByIt(damages: readonly Damage[], data: NonNullable<Answer['data']>, said: string): boolean {
  const isRaw = damages.some(({ raw }) => raw);
  return isRaw && data.status !== 'completed' && /damaged|malformed/.test(`${said}${JSON.stringify(data)}`);
}

/** The head of a task stands in its journal and in a file of its own: with both, nobody knows what the task was. */
function lostHead(damages: readonly Damage[]): boolean {
  return ['head.json', 'journal.log'].every((name) => damages.some(({ what }) => what.includes(`/${name} `)));
}

function judgeRefusal(
  damages: readonly Damage[],
  { code, message, hint }: NonNullable<Answer['error']>,
  did: readonly string[],
): string {
  if (code === 'UNEXPECTED') throw new Broken(`an error that nobody meant: ${message}`);
  // A question that somebody has to answer says what it is about, line by line.
  if ((code !== 'NEEDS_ANSWER' && message.includes('\n')) || hint.trim() === '')
    throw new Broken(`not a sentence: ${message} ${hint}`);
  if (/repair\(\)|engine\.\w+\(/.test(hint)) throw new Broken(`the hint speaks of our API: ${code} ${hint}`);
  if (!damages.some(({ fatal }) => fatal) && !lostHead(damages))
    throw new Broken(`refused with ${code}: ${message}`);
  if (did.length > 0) throw new Broken(`refused, but ${did.join(', ')} ran`);
  return REFUSED;
}

/**
 * A person's files, and every edit of the task once. Where they had been taken back, those that were made again are there
 * once, and the others once or not at all.
 */
function judgeFiles(world: World): void {
  const { files } = expected('');
  const again = world.ran();
  for (const [name, text] of Object.entries(files)) {
    const found = readFileSync(join(world.dir, name), 'utf8');
    const mayLack = (line: string) =>
      world.past === 'undone' && /^s\d/.test(line) && !again.includes(`edit ${line}`);
    const marks = new Set(found.split('\n'));
    const wanted = text.split('\n').filter((line) => marks.has(line) || !mayLack(line));
    if (found !== wanted.join('\n'))
      throw new Broken(`${name} is not as it should be: ${JSON.stringify(found)}`);
  }
}
