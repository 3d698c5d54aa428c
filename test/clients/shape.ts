/** What recorded events look like, without what differs from one run to the next: which events there are, and their fields. */

/** One line for each kind of event, with the names of its fields, in order. */
export function shapeOf(events: readonly unknown[]): string[] {
  const kinds = new Map<string, Set<string>>();
  for (const event of events) {
    const kind = kindOf(event as Fields);
    const fields = kinds.get(kind) ?? new Set();
    kinds.set(kind, fields);
    for (const name of fieldsOf(event, 3)) fields.add(name);
  }
  return [...kinds].map(([kind, fields]) => `${kind}: ${[...fields].sort().join(' ')}`).sort();
}

type Fields = Readonly<Record<string, unknown>>;

/** `PreToolUse Bash`; of opencode `tool.execute.before bash` or `event message.part.updated tool error`. */
function kindOf(event: Fields): string {
  const { hook, hook_event_name: name = hook, tool_name: tool, input = {} } = event;
  const { tool: called, type, properties = {} } = input as Fields;
  const { type: part, state = {} } = ((properties as Fields).part ?? {}) as Fields;
  const words = hook === undefined ? [name, tool] : [name, called, type, part, (state as Fields).status];
  return words.filter((word) => word !== undefined).join(' ');
}

/** The fields as `tool_input.command`; a list counts as what is in it. */
function fieldsOf(value: unknown, depth: number): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, depth));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...(depth > 1 ? fieldsOf(inner, depth - 1).map((field) => `${name}.${field}`) : []),
  ]);
}

/** What differs between two shapes, in sentences; nothing where they are the same. */
export function difference(kept: readonly string[], now: readonly string[]): string[] {
  const gone = kept.filter((line) => !now.includes(line)).map((line) => `no longer as recorded: ${line}`);
  const come = now.filter((line) => !kept.includes(line)).map((line) => `not in the recording: ${line}`);
  return [...gone, ...come];
}
