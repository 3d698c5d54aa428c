/** The relay before a host: one that dies is started again, and the client does not notice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { tempDirs } from '../support/temp.ts';

const tempDir = tempDirs();
const RELAY = fileURLToPath(new URL('../../src/system/process/relay.ts', import.meta.url));

/** Answers with its process and all that it was asked, and dies where it is asked to. */
const HOST = `
import { createInterface } from 'node:readline';
const asked = [];
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  asked.push(method);
  if (method === 'die') process.exit(1);
  if (id !== undefined) console.log(JSON.stringify({ id, result: { pid: process.pid, asked } }));
}
`;

test('a host that dies is started again, and greeted as the client did', async () => {
  const dir = tempDir();
  const host = join(dir, 'host.mjs');
  const main = join(dir, 'main.mjs');
  writeFileSync(host, HOST);
  writeFileSync(
    main,
    `import { relay } from ${JSON.stringify(RELAY)};\nprocess.exit(await relay(${JSON.stringify([process.execPath, host])}));\n`,
  );
  const child = spawn(process.execPath, [main], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const said = async () => JSON.parse(String((await lines.next()).value)) as Answer;

  send({ id: 0, method: 'initialize' });
  const first = await said();
  expect(first).toMatchObject({ id: 0, result: { asked: ['initialize'] } });
  send({ method: 'notifications/initialized' });
  send({ id: 1, method: 'die' });
  expect(await said()).toMatchObject({ id: 1, error: { code: -32603 } });
  send({ id: 2, method: 'ping' });
  const next = await said();
  expect(next).toMatchObject({
    id: 2,
    result: { asked: ['initialize', 'notifications/initialized', 'ping'] },
  });
  expect(next.result!.pid).not.toBe(first.result!.pid);
  child.stdin.end();
  expect((await once(child, 'exit'))[0]).toBe(0);
});

interface Answer {
  readonly result?: { readonly pid: number };
}
