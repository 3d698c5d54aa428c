/** The files of the page, read once and kept compressed: no path of a request ever reaches the disk. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { namesIn, readIfExists } from '../system/files.ts';
import { isFromSources, packaged } from '../system/packaged.ts';
import type { HttpAsked, HttpReply } from '../system/process/http-service.ts';
import { reply } from './served.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
};

/** By the path in the address; null where there is none. */
export type Page = (path: string, headers: HttpAsked['headers']) => HttpReply | null;

export async function readPage(): Promise<Page> {
  if (isFromSources) await (await import(packaged('bin/page.js').href)).refreshPage();
  const dir = fileURLToPath(packaged('dist/page/'));
  const files = namesIn(dir)
    .map(({ name }) => ({ name, type: TYPES[name.slice(name.lastIndexOf('.') + 1)] }))
    .filter((file): file is { name: string; type: string } => file.type !== undefined)
    .map(({ name, type }): [string, ReturnType<typeof fileOf>] => [
      name === 'index.html' ? '/' : `/${name}`,
      fileOf(type, readIfExists(`${dir}${name}`)!),
    ]);
  const known = new Map(files);
  return (path, headers) => known.get(path)?.(takesGzip(headers)) ?? null;
}

/** Compressed once, when it is first asked for: starting the server does not wait for it. */
function fileOf(type: string, content: Uint8Array): (gzip: boolean) => HttpReply {
  const varying = (body: Uint8Array, more = {}): HttpReply => {
    const { headers, ...rest } = reply(200, type, body);
    return { ...rest, headers: { ...headers, vary: 'accept-encoding', ...more } };
  };
  const plain = varying(content);
  let gzipped: HttpReply | undefined;
  return (gzip) => {
    if (!gzip) return plain;
    gzipped ??= varying(gzipSync(content, { level: 9 }), { 'content-encoding': 'gzip' });
    return gzipped;
  };
}

function takesGzip(headers: HttpAsked['headers']): boolean {
  const coded = headers['accept-encoding']?.join(',') ?? '';
  return coded.split(',').some((one) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(one));
}
