/** What the dashboard's server has to withstand, over real sockets. The rules are in docs/guides/dashboard.md. */
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Dashboard } from '../../src/dashboard/server.ts';
import { tempDirs } from '../support/temp.ts';
import { until } from '../support/until.ts';
import { serveOn } from './open.ts';
import { answerOf, dial, everythingFrom, exchange, type RawAnswer } from './raw.ts';

const tempDir = tempDirs();
let server: Dashboard;
beforeAll(async () => {
  server = await serveOn({ dir: tempDir() });
});
afterAll(() => server.close());

interface Given {
  readonly line?: string;
  /** Null leaves one out; a list sends it several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly body?: string | Buffer;
}

/** As the page asks for its tasks, but for what is given. */
function ask({ line = 'POST /api/tasks', headers = {}, body = '{}' }: Given = {}): Promise<RawAnswer> {
  const usual: Given['headers'] = {
    host: `127.0.0.1:${server.port}`,
    origin: `http://127.0.0.1:${server.port}`,
    'sec-fetch-site': 'same-origin',
    authorization: `Bearer ${server.key}`,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
  };
  const sent = Object.entries({ ...usual, ...headers }).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one) => `${name}: ${one}`),
  );
  return exchange(server.port, [`${line} HTTP/1.1`, ...sent], body);
}

/** A `{port}` in what is given stands for the server's. */
const filled = (text: string): string => text.replaceAll('{port}', `${server.port}`);

test('what the page asks is answered', async () => {
  const { status, body } = await ask();
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ data: expect.objectContaining({ tasks: [] }) });
  expect(
    (await ask({ headers: { host: filled('localhost:{port}'), origin: filled('http://localhost:{port}') } }))
      .status,
  ).toBe(200);
  expect((await ask({ line: 'GET /api/session' })).status).toBe(200);
});

describe('only this machine', () => {
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address);

  test.each(['::1', ...others])('%s is not listened on', async (address) => {
    const socket = dial(server.port, address);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    expect(await everythingFrom(socket)).toBe('');
  });
});

describe('Host', () => {
  test.each([
    ['another name', 'evil.test:{port}'],
    ['another name without a port', 'evil.test'],
    ['none', ''],
    ['only a port', ':{port}'],
    ['ours with something behind', '127.0.0.1:{port}.evil.test'],
    ['ours with something before', 'evil.127.0.0.1:{port}'],
    ['another port', '127.0.0.1:1'],
    ['no port', '127.0.0.1'],
    ['the address of all', '0.0.0.0:{port}'],
    ['in capitals', 'LOCALHOST:{port}'],
    ['of version 6', '[::1]:{port}'],
    ['with a user', 'evil@127.0.0.1:{port}'],
    ['with a dot behind', 'localhost.:{port}'],
    ['the same number in another form', '2130706433:{port}'],
  ])('%s: 421', async (_, host) => {
    for (const line of ['GET /', 'GET /app.js', 'POST /api/tasks', 'OPTIONS /api/tasks'])
      expect((await ask({ line, headers: { host: filled(host) } })).status).toBe(421);
  });

  test('left out, or sent twice: 421', async () => {
    expect((await ask({ headers: { host: null } })).status).toBe(421);
    const twice = [filled('127.0.0.1:{port}'), 'evil.test'];
    for (const host of [twice, twice.toReversed()])
      expect([400, 421]).toContain((await ask({ headers: { host } })).status);
  });
});

describe('Origin', () => {
  test.each([
    'null',
    'http://evil.test',
    'http://127.0.0.1:1',
    'https://127.0.0.1:{port}',
    'http://127.0.0.1',
    'http://127.0.0.1:{port}.evil.test',
    'http://0.0.0.0:{port}',
    '',
  ])('"%s": 403', async (origin) => {
    for (const line of ['POST /api/tasks', 'GET /api/session', 'GET /'])
      expect((await ask({ line, headers: { origin: filled(origin) } })).status).toBe(403);
  });

  test('left out of a POST: 403', async () => {
    expect((await ask({ headers: { origin: null } })).status).toBe(403);
    expect((await ask({ line: 'GET /api/session', headers: { origin: null } })).status).toBe(200);
  });

  test.each(['cross-site', 'same-site', ''])('Sec-Fetch-Site "%s": 403', async (site) => {
    for (const line of ['POST /api/tasks', 'GET /api/session', 'GET /app.js', 'GET /'])
      expect((await ask({ line, headers: { 'sec-fetch-site': site } })).status).toBe(403);
  });

  test('a link to the page may be followed from anywhere, but not into a frame, and not to what it asks', async () => {
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', origin: null };
    const as = async (dest: string, line = 'GET /') =>
      (await ask({ line, headers: { ...visit, 'sec-fetch-dest': dest } })).status;
    expect(await as('document')).toBe(200);
    expect(await as('iframe')).toBe(403);
    expect(await as('document', 'GET /api/session')).toBe(403);
    expect(await as('document', 'GET /app.js')).toBe(403);
  });
});

describe('the key', () => {
  test.each([
    ['none', null],
    ['empty', 'Bearer '],
    ['a wrong one', `Bearer ${'A'.repeat(43)}`],
    ['cut short', 'Bearer {cut}'],
    ['with something behind', 'Bearer {key}A'],
    ['by itself', '{key}'],
    ['as a password', 'Basic {basic}'],
    ['in capitals', 'Bearer {capitals}'],
  ])('%s: 401', async (_, authorization) => {
    const { key } = server;
    const given =
      authorization
        ?.replace('{cut}', key.slice(0, -1))
        .replace('{key}', key)
        .replace('{capitals}', key.toUpperCase())
        .replace('{basic}', Buffer.from(`vibe:${key}`).toString('base64')) ?? null;
    for (const line of ['POST /api/tasks', 'GET /api/session', 'GET /api/stream'])
      expect((await ask({ line, headers: { authorization: given } })).status).toBe(401);
  });

  test('in the address, in a cookie, or twice: 401', async () => {
    const { key } = server;
    const without = { authorization: null };
    expect((await ask({ line: `POST /api/tasks?key=${key}`, headers: without })).status).toBe(401);
    expect((await ask({ headers: { ...without, cookie: `key=${key}` } })).status).toBe(401);
    const twice = [`Bearer ${key}`, `Bearer ${key}`];
    expect((await ask({ headers: { authorization: twice } })).status).toBe(401);
  });

  test('is of this process, and long', async () => {
    const other = await serveOn({ dir: tempDir() });
    await other.close();
    expect(other.key).not.toBe(server.key);
    expect(Buffer.from(server.key, 'base64url')).toHaveLength(32);
  });

  test('is in nothing that is answered, and no cookie is set', async () => {
    const lines = [
      'GET /',
      'GET /app.js',
      'GET /api/session',
      'POST /api/tasks',
      'POST /api/nothing',
      'GET /x',
    ];
    for (const line of lines) {
      const { text, headers } = await ask({ line });
      expect(text).not.toContain(server.key);
      expect(headers.has('set-cookie')).toBe(false);
    }
  });
});

describe('methods', () => {
  test.each(['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'TRACE'])('%s: 405', async (method) => {
    for (const path of ['/', '/api/tasks'])
      expect(
        (await ask({ line: `${method} ${path}`, body: '', headers: { 'content-length': null } })).status,
      ).toBe(405);
  });

  test('a preflight gets nothing that would let another site in', async () => {
    const { headers, status } = await ask({
      line: 'OPTIONS /api/tasks',
      headers: { 'access-control-request-method': 'POST', 'access-control-request-private-network': 'true' },
    });
    expect(status).toBe(405);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test('POST to a file: 405; GET of a verb: 404', async () => {
    expect((await ask({ line: 'POST /app.js' })).status).toBe(405);
    expect((await ask({ line: 'GET /api/tasks' })).status).toBe(404);
  });

  test('an upgrade and a tunnel are cut', async () => {
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'x',
      'sec-websocket-version': '13',
    };
    for (const line of ['GET /', 'GET /api/stream'])
      expect((await ask({ line, headers: upgrade })).text).toBe('');
    expect((await ask({ line: 'CONNECT evil.test:80' })).text).toBe('');
  });

  test('nothing is promised before it is read', async () => {
    expect((await ask({ headers: { expect: '100-continue' } })).text).toMatch(/^HTTP\/1.1 417/);
  });
});

describe('bodies', () => {
  test.each([
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['a form of parts', 'multipart/form-data; boundary=x'],
    ['nothing said', null],
    ['JSON of another kind', 'application/json-patch+json'],
    ['in another encoding', 'application/json; charset=utf-16'],
  ])('%s: 415', async (_, type) => {
    expect((await ask({ headers: { 'content-type': type } })).status).toBe(415);
  });

  test('more than 64 KB: 413, also where the length is not told', async () => {
    const body = JSON.stringify({ args: {}, options: { find: 'x'.repeat(64 * 1024) } });
    expect((await ask({ body })).status).toBe(413);
    const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const chunked = { 'content-length': null, 'transfer-encoding': 'chunked' };
    expect((await ask({ body: chunk, headers: chunked })).status).toBe(413);
  });

  test('a length and chunks at once: refused', async () => {
    const { status } = await ask({ body: '0\r\n\r\n', headers: { 'transfer-encoding': 'chunked' } });
    expect(status).toBe(400);
  });

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['a number', '1'],
    ['another member', '{"arguments":{}}'],
    ['an unknown option', '{"options":{"everything":true}}'],
    ['an option of the terminal', '{"options":{"project":"/"}}'],
    ['another option of the terminal', '{"options":{"reveal":true}}'],
    ['an unknown argument', '{"args":{"task":"x"}}'],
    ['a name that every object has', '{"options":{"constructor":true}}'],
    ['the name of the prototype', '{"options":{"__proto__":{"all":true}}}'],
    ['text for a flag', '{"options":{"all":"yes"}}'],
    ['text for a number', '{"options":{"limit":"3"}}'],
    ['a number that is too small', '{"options":{"limit":0}}'],
    ['a value that is no choice', '{"options":{"sort":"size"}}'],
    ['a list for a text', '{"options":{"find":["x"]}}'],
    ['a text for a list', '{"options":{"status":"failed"}}'],
    ['a text with NUL', '{"options":{"find":"a\\u0000b"}}'],
    ['half a character', '{"options":{"find":"\\ud800"}}'],
  ])('%s: 400', async (_, body) => {
    const { status, body: said } = await ask({ body });
    expect([status, JSON.parse(said).error.code]).toEqual([
      400,
      expect.stringMatching(/^(USAGE|NOT_JSON_TEXT)$/),
    ]);
    expect(JSON.parse(said).error.hint).not.toBe('');
  });

  test('JSON that is not UTF-8: 400', async () => {
    const body = Buffer.from('{"options":{"find":"\xc3("}}', 'latin1');
    const { status, body: said } = await ask({ body });
    expect([status, JSON.parse(said).error.code]).toEqual([400, 'NOT_JSON_TEXT']);
  });
});

describe('targets', () => {
  test.each(['//evil.test/', 'http://evil.test/', 'http://127.0.0.1/', 'evil', '*', '//api/tasks'])(
    '%s: 400',
    async (target) => {
      for (const method of ['GET', 'POST'])
        expect([400, 405]).toContain((await ask({ line: `${method} ${target}` })).status);
    },
  );

  test.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/..\\package.json',
    '/page/../../package.json',
    '/app.js/../index.html',
    '/app.js%00.html',
    '/./app.js',
    '/index.html',
    '/etc/passwd',
    '/preact-LICENSE.txt',
    '/api',
    '/api/../app.js',
  ])('%s: 404', async (target) => {
    expect((await ask({ line: `GET ${target}` })).status).toBe(404);
  });

  test.each([
    ...[
      'run',
      'exec',
      'demo',
      'ui',
      'keys/init',
      'keys/decrypt',
      'hooks/install',
      'completion',
      'agent-host',
    ],
    ...['export', 'import', 'trust', 'config/set', '__proto__', 'constructor', 'tasks/', '../tasks', ''],
  ])('no verb for the page: %s', async (name) => {
    const { status, body } = await ask({ line: `POST /api/${name}` });
    expect([status, JSON.parse(body).error.code]).toEqual([400, 'USAGE']);
  });

  test.each([
    ['resume', 'file', '/tmp/evil.ts'],
    ['retry', 'file', '/tmp/evil.ts'],
    ['doctor', 'repair', true],
    ['answer', 'by', 'somebody else'],
    ['conflicts/resolve', 'content', '/etc/passwd'],
  ])('%s takes no --%s from the page', async (verb, option, value) => {
    const args = { task: 'x', id: 'x' };
    const names = { doctor: [], resume: ['task'], retry: ['task'], answer: ['task'] }[verb] ?? ['task', 'id'];
    const given = Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name as never)));
    const body = JSON.stringify({ args: given, options: { [option]: value } });
    const { status, body: said } = await ask({ line: `POST /api/${verb}`, body });
    expect([status, JSON.parse(said).error.data]).toEqual([400, { flag: `--${option}` }]);
  });
});

describe('answers', () => {
  const POLICY =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

  test('all have the same headers, and none lets another site in', async () => {
    const all = [
      ...['GET /', 'GET /app.js', 'GET /styles.css', 'GET /text-en.json', 'GET /nothing', 'GET //evil'],
      ...['GET /api/session', 'POST /api/tasks', 'POST /api/nothing', 'OPTIONS /'],
    ].map((line) => ask({ line }));
    const refused = [ask({ headers: { host: 'evil.test' } }), ask({ headers: { authorization: null } })];
    for (const { headers } of await Promise.all([...all, ...refused])) {
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      expect(headers.has('server') || headers.has('x-powered-by')).toBe(false);
    }
  });

  test('an error has code, sentence and hint, in the language of the page, and no stack', async () => {
    const { body } = await ask({
      line: 'POST /api/show',
      body: '{"args":{"task":"nothing"}}',
      headers: { 'accept-language': 'zh-Hant' },
    });
    const { error } = JSON.parse(body) as { error: Record<string, string> };
    expect(Object.keys(error)).toEqual(['code', 'message', 'hint', 'data']);
    expect(error.message).toMatch(/\p{Script=Han}/u);
    expect(body).not.toMatch(/\bat .*:\d+:\d+|\.ts\b|node:internal/);
  });
});

describe('limits', () => {
  test('a head that does not end is cut', async () => {
    const socket = dial(server.port);
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`);
    expect(answerOf(await everythingFrom(socket)).status).toBe(408);
  });

  test('a head of more than 16 KB: 431', async () => {
    expect((await ask({ headers: { 'x-long': 'x'.repeat(17 * 1024) } })).status).toBe(431);
  });

  test('a 17th stream: 429, and one more once another has ended', async () => {
    const head = `GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.key}\r\n\r\n`;
    const stream = async () => {
      const socket = dial(server.port);
      const first = new Promise<string>((resolve) => {
        socket.once('data', (part: Buffer) => resolve(part.toString('utf8')));
      });
      socket.write(head);
      return { socket, status: answerOf(await first).status };
    };
    const open = await Promise.all(Array.from({ length: 16 }, stream));
    expect(open.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const more = await stream();
    expect(more.status).toBe(429);
    more.socket.destroy();
    open[0]!.socket.destroy();
    const again = await until(async () => {
      const one = await stream();
      if (one.status !== 200) one.socket.destroy();
      expect(one.status).toBe(200);
      return one;
    });
    for (const { socket } of [...open, again]) socket.destroy();
  });
});
