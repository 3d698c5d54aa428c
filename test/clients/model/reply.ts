/** A reply of the fake API: JSON, or a stream of events. */
export type Reply = { readonly json: unknown } | { readonly events: string };

/** One of a stream, named by its type. */
export interface Event {
  readonly type: string;
  readonly [more: string]: unknown;
}

/** Server-sent events whose name is their `type`. */
export function sse(events: readonly Event[]): Reply {
  return {
    events: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  };
}

/** Server-sent events without a name. */
export function plainSse(events: readonly unknown[]): Reply {
  return { events: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') };
}
