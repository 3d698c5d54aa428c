/** The files of the page, read once: no path of a request ever reaches the disk. */
import { fileURLToPath } from 'node:url';
import { namesIn, readIfExists } from '../system/files.ts';
import { isFromSources, packaged } from '../system/packaged.ts';
import type { HttpReply } from '../system/process/http-service.ts';
import { reply } from './served.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
};

/** By the path in the address. */
export async function readPage(): Promise<ReadonlyMap<string, HttpReply>> {
  if (isFromSources) await (await import(packaged('bin/page.js').href)).refreshPage();
  const dir = fileURLToPath(packaged('dist/page/'));
  const files = namesIn(dir)
    .map(({ name }) => ({ name, type: TYPES[name.slice(name.lastIndexOf('.') + 1)] }))
    .filter((file): file is { name: string; type: string } => file.type !== undefined)
    .map(({ name, type }): [string, HttpReply] => [
      name === 'index.html' ? '/' : `/${name}`,
      reply(200, type, readIfExists(`${dir}${name}`)!),
    ]);
  return new Map(files);
}
