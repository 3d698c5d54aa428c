/** Reads a stream of server-sent events, piece by piece as it arrives. Pure. */

export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** Gives each piece to the returned function; it returns the events that are whole by then. */
export function eventReader(): (piece: string) => ServerEvent[] {
  let rest = '';
  return (piece) => {
    rest += piece;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop()!;
    return blocks.flatMap((block) => eventIn(block) ?? []);
  };
}

function eventIn(block: string): ServerEvent | null {
  let id: string | null = null;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    if (at <= 0) continue; // a comment keeps the connection alive
    const name = line.slice(0, at);
    const value = line.slice(at + 1).replace(/^ /, '');
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { id, event, data: data.join('\n') };
}
