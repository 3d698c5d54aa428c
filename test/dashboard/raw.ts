/** HTTP by hand, over a real socket: what a client library would not send. */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 where the connection was closed without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly text: string;
}

/** The lines of a head, as they are, and a body. Waits until the server closes the connection. */
export async function exchange(
  port: number,
  lines: readonly string[],
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const socket = dial(port);
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  socket.write(body);
  return answerOf(await everythingFrom(socket));
}

export function dial(port: number, host = '127.0.0.1'): Socket {
  const socket = connect({ port, host });
  socket.on('error', () => {}); // A closed connection is an answer, too.
  return socket;
}

export async function everythingFrom(socket: Socket): Promise<string> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(parts).toString('utf8');
}

export function answerOf(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(': ');
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(first)?.[1] ?? 0),
    headers: new Map(headers),
    body: end < 0 ? '' : text.slice(end + 4),
    text,
  };
}
