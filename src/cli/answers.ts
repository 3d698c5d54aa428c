/** Answers and errors as text: lines for people, or one JSON document for programs. */
import { VibeError } from '../errors.ts';
import type { Answer } from '../verbs/kit/verb.ts';
import type { Say } from '../verbs/text/choose.ts';

/** Of the JSON document. It grows when a member goes or changes its meaning, not when one is added. */
export const JSON_VERSION = 1;

export function answerText(
  { data, lines }: Answer,
  { command, json }: { command: string; json: boolean },
): string {
  if (json) return document({ command, ok: true, data });
  return lines.map((line) => `${line}\n`).join('');
}

export interface ErrorStyle {
  /** Null where it did not get so far. */
  readonly command: string | null;
  readonly say: Say;
  readonly json: boolean;
  readonly debug: boolean;
}

export function errorText(error: unknown, { command, say, json, debug }: ErrorStyle): string {
  const known = error instanceof VibeError;
  const code = known ? error.code : 'UNEXPECTED';
  const message = error instanceof Error ? error.message : String(error);
  const hint = known ? error.hint : say('error.debug');
  const stack = debug && error instanceof Error ? stackOf(error) : null;
  if (json) {
    const data = known ? plainData(error.data) : {};
    return document({
      command,
      ok: false,
      error: { code, message, hint, data, ...(stack ? { stack } : {}) },
    });
  }
  const lines = [
    say('error.line', { code, message }),
    say('error.hint', { hint }),
    ...(stack ? [stack] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function document(content: object): string {
  return `${JSON.stringify({ vibe_engine: JSON_VERSION, ...content })}\n`;
}

/** What an error carries may be anything; what JSON cannot say of it is left out. */
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
