/**
 * Who may ask what: every rule that a request has to pass before anything else looks at it. Loopback is no identity: any site
 * that a browser shows can send requests here, and any name can be made to mean 127.0.0.1. Pure.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { HttpAsked } from '../system/process/http-service.ts';
import type { RefusedCode } from './refusals.ts';

export interface Own {
  /** `Host` has to be one of these, exactly. */
  readonly hosts: readonly string[];
  /** `Origin` too, where there is one. */
  readonly origins: readonly string[];
  readonly key: string;
}

/** The names under which the server is reached, and no others. */
export function ownAddresses(port: number, names: readonly string[]): Pick<Own, 'hosts' | 'origins'> {
  const hosts = names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
  return { hosts, origins: hosts.map((host) => `http://${host}`) };
}

type Head = Pick<HttpAsked, 'method' | 'target' | 'headers'>;

/** Null if it may be answered as far as its head tells. */
export function refusalOf(asked: Head, own: Own): RefusedCode | null {
  const { method, target, headers } = asked;
  if (!own.hosts.includes(only(headers.host) ?? '')) return 'WRONG_HOST';
  // `new URL('//evil/', base)` would be another host.
  if (!/^\/(?!\/)/.test(target)) return 'BAD_TARGET';
  if (method !== 'GET' && method !== 'POST') return 'BAD_METHOD';
  if (!isOwnPage(asked, own)) return 'WRONG_ORIGIN';
  if (!isApi(target)) return method === 'GET' ? null : 'BAD_METHOD';
  if (!hasKey(headers.authorization, own.key)) return 'NO_ACCESS';
  return null;
}

export function isApi(target: string): boolean {
  return target.startsWith('/api/');
}

/** Whether a page of ours asks. Compared with our own names, never `Origin` with `Host`: both follow a rebound name. */
function isOwnPage({ method, headers, target }: Head, { origins }: Own): boolean {
  const origin = headers.origin;
  if (origin === undefined ? method === 'POST' : !origins.includes(only(origin) ?? '')) return false;
  const site = headers['sec-fetch-site'];
  return site === undefined || OWN_SITES.includes(only(site) ?? '') || isVisit(headers, target);
}

const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/** A link that somebody follows to the page itself, in a tab of its own: the file that opens the browser is one. */
function isVisit(headers: HttpAsked['headers'], target: string): boolean {
  const visits =
    only(headers['sec-fetch-mode']) === 'navigate' && only(headers['sec-fetch-dest']) === 'document';
  return visits && /^\/(?:\?|$)/.test(target);
}

/** Only in `Authorization`: addresses end up in histories and logs, and a cookie is sent to every port of its host. */
function hasKey(given: readonly string[] | undefined, key: string): boolean {
  const sent = /^Bearer ([\w-]+)$/.exec(only(given) ?? '')?.[1];
  return sent !== undefined && timingSafeEqual(digest(sent), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function only(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined;
}
