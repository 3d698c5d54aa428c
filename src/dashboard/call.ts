/** `POST /api/<verb>`: one function over `perform`. Nobody can be asked here: a question is an answer of its own. */
import { resolve } from 'node:path';
import { InvalidInputError, VibeError } from '../errors.ts';
import type { HttpAsked, HttpReply } from '../system/process/http-service.ts';
import { noPaint } from '../verbs/format/paint.ts';
import { askNobody } from '../verbs/kit/nobody.ts';
import { type Frontend, perform } from '../verbs/kit/perform.ts';
import { refusals } from '../verbs/kit/usage.ts';
import { readValues } from '../verbs/kit/values.ts';
import type { Verb } from '../verbs/kit/verb.ts';
import { asLanguage, type Language, type Say, speak } from '../verbs/text/choose.ts';
import { type Translate, translator } from '../verbs/text/translate.ts';
import { changes, offered } from './offered.ts';
import { refusedReply } from './refusals.ts';
import { jsonReply, type Served } from './served.ts';
import { statusOf } from './status.ts';

/** Of a request. A file that was resolved by hand comes whole. */
const LARGEST = 64 * 1024;
const LARGEST_WITH_FILE = 1024 * 1024;

export async function answerCall(asked: HttpAsked, name: string, served: Served): Promise<HttpReply> {
  const language = languageFor(asked, served);
  const type = asked.headers['content-type']?.[0] ?? '';
  if (!/^application\/json(?:;\s*charset=utf-8)?$/i.test(type)) return refusedReply('NOT_JSON', language);
  const verb = await offered(name);
  const takesFile = verb !== null && 'text' in verb.options && verb.name !== 'answer';
  const body = await asked.body(takesFile ? LARGEST_WITH_FILE : LARGEST);
  if (body === null) return refusedReply('TOO_LARGE', language);
  const given = parsed(body);
  if (given === undefined) return refusedReply('NOT_JSON_TEXT', language);
  if (verb && served.read_only && changes(verb) && !isPreview(verb, given))
    return refusedReply('READ_ONLY', language);
  const [say, translate] = await Promise.all([speak(language), translator(language)]);
  try {
    const refuse = refusals(say, served.invoke(name));
    if (!verb) throw notOffered(name, say, served);
    const { args, options } = readValues(given, verb, refuse);
    const { data } = await callVerb(verb, args, options, served, { language, say, translate });
    return jsonReply(200, { data }, served, translate);
  } catch (error) {
    return errorReply(error, { say, translate }, served);
  }
}

/** It only says what would be done. */
function isPreview(verb: Verb, given: unknown): boolean {
  const { options } = (given ?? {}) as { readonly options?: Readonly<Record<string, unknown>> };
  return 'dry-run' in verb.options && options?.['dry-run'] === true;
}

/** A command that only a terminal has, or none. */
function notOffered(name: string, say: Say, { invoke }: Pick<Served, 'invoke'>): InvalidInputError {
  return new InvalidInputError('USAGE', say('ui.not_offered', { name }), {
    data: { name },
    hint: say('ui.not_offered_hint', { command: invoke(name) }),
  });
}

interface Spoken {
  readonly language: Language;
  readonly say: Say;
  readonly translate: Translate;
}

function callVerb(
  verb: Verb,
  args: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
  served: Served,
  spoken: Spoken,
): ReturnType<typeof perform> {
  const { project_dir, findStore, engine, invoke, now, resume } = served;
  const host: Frontend = {
    ...spoken,
    paint: noPaint,
    live: null,
    width: null,
    now,
    onProgress: () => {},
    signal: new AbortController().signal,
    ask: askNobody(spoken.say),
    interactive: false,
    by: 'dashboard',
    tell: () => {},
    note: () => {},
    json: true,
    invoke,
    project_dir,
    path: (given) => resolve(project_dir, given),
    findStore,
    engine,
    // The one that the stream looks through: while it does, a list of tasks costs no reading.
    reader: async (store) => (await engine(store, false)).reader,
    resume,
    worker: () => Promise.reject(new Error('worker')), // `resume` runs tasks in processes of their own.
  };
  return perform(verb, args, options, host);
}

/** The language a page asks for, as it shows itself. */
export function languageFor(
  { headers }: Pick<HttpAsked, 'headers'>,
  { language }: Pick<Served, 'language'>,
): Language {
  return asLanguage(headers['accept-language']?.[0]?.split(/[,;]/)[0]?.trim() ?? '') ?? language;
}

/** Code and hint, never a stack. */
function errorReply(error: unknown, { say, translate }: Omit<Spoken, 'language'>, served: Served): HttpReply {
  const known = error instanceof VibeError;
  const code = known ? error.code : 'UNEXPECTED';
  const english = error instanceof Error ? error.message : String(error);
  const question = known && code === 'NEEDS_ANSWER' ? error.data.question : undefined;
  const told = {
    code,
    // An engine asks in the language that the server was started in.
    message: typeof question === 'string' ? translate(question) : translate(english),
    hint: known ? translate(error.hint) : say('error.debug'),
    data: known ? error.data : {},
  };
  return jsonReply(statusOf(code), { error: told }, served);
}

function parsed(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined; // No JSON: refused.
  }
}
