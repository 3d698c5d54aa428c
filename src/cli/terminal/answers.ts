/** Answers and errors as text: lines for people, or one JSON document for programs. */
import { VibeError } from '../../errors.ts';
import { harmlessJson, tidy } from '../../verbs/format/width.ts';
import { type Mask, maskedMember } from '../../verbs/kit/masked.ts';
import type { Answer } from '../../verbs/kit/verb.ts';
import type { Say } from '../../verbs/text/choose.ts';
import type { Translate } from '../../verbs/text/translate.ts';

/** Of the JSON document. It grows when a member goes or changes its meaning, not when one is added. */
const JSON_VERSION = 1;

export function answerText(
  { data, lines }: Answer,
  { command, json, mask }: { command: string; json: boolean; mask: Mask },
): string {
  if (json) return document({ command, ok: true, data }, mask);
  return mask(lines.map((line) => `${line}\n`).join(''));
}

interface ErrorStyle {
  /** Null if it did not get that far. */
  readonly command: string | null;
  readonly say: Say;
  readonly translate: Translate;
  /** A hint in the reader's language, with commands as they are typed here. */
  readonly hint: Translate;
  readonly json: boolean;
  readonly debug: boolean;
  readonly mask: Mask;
  /** What its code means, if its sentence is in another language; otherwise null. */
  readonly meaning: string | null;
}

export function errorText(
  error: unknown,
  { command, say, translate, hint: asTyped, json, debug, mask, meaning }: ErrorStyle,
): string {
  const known = error instanceof VibeError;
  const code = known ? error.code : 'UNEXPECTED';
  const english = error instanceof Error ? error.message : String(error);
  const message = json ? english : translate(english);
  const hint = !known ? say('error.debug') : json ? error.hint : asTyped(error.hint);
  const stack = debug && error instanceof Error ? stackOf(error) : null;
  if (json) {
    const data = known ? plainData(error.data) : {};
    const told = { code, message, hint, data, ...(stack ? { stack } : {}) };
    return document({ command, ok: false, error: told }, mask);
  }
  const foreign = meaning !== null && !HAN.test(message);
  const lines = [
    ...(foreign
      ? [say('error.line', { code, message: meaning }), say('error.detail', { message })]
      : errorLines(code, message, say)),
    say('error.hint', { hint }),
    ...(stack ? [stack] : []),
  ];
  return mask(`${lines.join('\n')}\n`);
}

/** A question may have several lines, such as what is gone. Text of others in them cannot look like a line of ours. */
function errorLines(code: string, message: string, say: Say): string[] {
  const [first, ...more] = code === 'NEEDS_ANSWER' ? message.split('\n') : [message];
  return [say('error.line', { code, message: first! }), ...more.map((line) => `  ${tidy(line)}`)];
}

/** A sentence with these is already in the reader's language. */
const HAN = /\p{Script=Han}/u;

/** Text by text, so that what is masked never breaks the document. */
function document(content: object, mask: Mask): string {
  function masked(this: unknown, name: string, value: unknown): unknown {
    return typeof value === 'string' ? maskedMember(this, name, value, mask) : value;
  }
  return `${harmlessJson(JSON.stringify({ vibe_engine: JSON_VERSION, ...content }, masked))}\n`;
}

/** What an error carries may be anything; what JSON cannot express is left out. */
function plainData(data: Record<string, unknown>): unknown {
  try {
    return JSON.parse(
      JSON.stringify(data, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  } catch {
    return {};
  }
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\n${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
