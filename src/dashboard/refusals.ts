/** What the server itself refuses, before any verb is asked. */
import type { HttpReply } from '../system/process/http-service.ts';
import { type Language, speak } from '../verbs/text/choose.ts';
import { jsonReply } from './served.ts';

const STATUS = {
  WRONG_HOST: 421,
  BAD_TARGET: 400,
  BAD_METHOD: 405,
  WRONG_ORIGIN: 403,
  NO_ACCESS: 401,
  NOT_FOUND: 404,
  NOT_JSON: 415,
  NOT_JSON_TEXT: 400,
  TOO_LARGE: 413,
  READ_ONLY: 403,
  TOO_MANY_STREAMS: 429,
} as const;

export type RefusedCode = keyof typeof STATUS;

export async function refusedReply(code: RefusedCode, language: Language): Promise<HttpReply> {
  const say = await speak(language);
  const error = { code, message: say(`ui.refused.${code}`), hint: say(`ui.refused_hint.${code}`), data: {} };
  const { headers, ...rest } = jsonReply(STATUS[code], { error }, { mask: (text) => text });
  return { ...rest, headers: code === 'BAD_METHOD' ? { ...headers, allow: 'GET, POST' } : headers };
}
