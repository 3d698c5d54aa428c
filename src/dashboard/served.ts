/** What the server of the dashboard is started with, and what it answers with. */
import type { HttpReply } from '../system/process/http-service.ts';
import { type Mask, maskedMember } from '../verbs/kit/masked.ts';
import type { Frontend } from '../verbs/kit/perform.ts';
import type { Language } from '../verbs/text/choose.ts';
import type { Translate } from '../verbs/text/translate.ts';
import { HEADERS } from './headers.ts';

export interface Served
  extends Pick<Frontend, 'project_dir' | 'findStore' | 'engine' | 'invoke' | 'resume' | 'now'> {
  /** Of those who do not say which one they want. */
  readonly language: Language;
  readonly read_only: boolean;
  readonly reveal: boolean;
  readonly mask: Mask;
}

export function reply(status: number, type: string, body: HttpReply['body']): HttpReply {
  return { status, headers: { ...HEADERS, 'content-type': type }, body };
}

/** Members of answers that are sentences of ours, which the command line would translate, too. */
const SENTENCES: readonly string[] = ['detail', 'why', 'why_not', 'because', 'problems', 'notes', 'unknown'];

/** Text by text, names as well, so that what is masked never breaks the document. */
export function jsonText(
  value: unknown,
  { mask }: Pick<Served, 'mask'>,
  translate: Translate = (english) => english,
): string {
  const names = new Map<string, string>();
  const nameOf = (name: string): string => {
    const known = names.get(name) ?? mask(name);
    names.set(name, known);
    return known;
  };
  return JSON.stringify(value, function masked(this: unknown, name: string, one: unknown) {
    if (typeof one === 'bigint') return String(one);
    const isSaid = SENTENCES.includes(name);
    if (typeof one === 'string') return maskedMember(this, name, isSaid ? translate(one) : one, mask);
    if (Array.isArray(one) && isSaid)
      return one.map((item) => (typeof item === 'string' ? translate(item) : item));
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one;
    if (Object.keys(one).every((key) => nameOf(key) === key)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [nameOf(key), inner]));
  });
}

export function jsonReply(
  status: number,
  value: unknown,
  served: Pick<Served, 'mask'>,
  translate?: Translate,
): HttpReply {
  return reply(status, 'application/json; charset=utf-8', jsonText(value, served, translate));
}
