/** Calls that a person has to approve first: which they are, and what the client is answered. */
import type { Attached } from '../../engine/api/attaching.ts';
import { phrase } from '../../phrase.ts';
import type { Client, HookEvent, Verdict } from '../client.ts';
import { asText, recordOf } from '../payload.ts';

type Call = Extract<HookEvent, { kind: 'call' }>;

/** `Tool`, or `Tool(what it is called with)`; `*` stands for any text. */
export function needsApproval(rules: readonly string[], tool: string, input: unknown): boolean {
  return rules.some((rule) => {
    const [, name = rule, within] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
    return fits(name, tool) && (within === undefined || fits(within, subjectOf(input)));
  });
}

/** Each part where it comes first: the settings of a project may be anything, and must not take for ever. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** What a call is about. */
function subjectOf(input: unknown): string {
  const { command, file_path, url } = recordOf(input);
  return asText(command ?? file_path ?? url ?? input);
}

interface Approving {
  readonly client: Client;
  readonly attached: Attached;
  /** Nobody sits at the client's screen. */
  readonly unattended: boolean;
  /** The call of this turn that waits already: a client comes back to one alone. */
  readonly waiting: string | undefined;
}

/** Null: a person has allowed it. Otherwise what the client is answered instead. */
export async function approve(
  { client, attached, unattended, waiting }: Approving,
  call: Call,
): Promise<Verdict | null> {
  const { id, tool, input, agent } = call;
  if (!client.defers) return { deny: CANNOT_WAIT };
  if (!unattended) return { ask: ASKED };
  if (agent !== undefined) return { deny: NOT_FROM_HERE };
  if (waiting !== undefined && waiting !== id) return { deny: ONE_AT_A_TIME };
  const prompt = phrase`${client.title} wants to run ${called(tool, input)}. Allow it?`;
  const approval = await attached.approval(id, prompt).catch(NOT_ASKED);
  if (approval === null) return { defer: WAITS };
  if (approval.allowed) return null;
  return { deny: refusedBy(approval.by) };
}

/** A person who cannot be asked has not allowed it. */
const NOT_ASKED = (error: unknown) => ({
  allowed: false,
  by: `nobody could be asked (${error instanceof Error ? error.message : String(error)}), so Vibe Engine`,
});

const LONGEST = 300;

function called(tool: string, input: unknown): string {
  const text = `${tool}(${subjectOf(input)})`.replace(/\s+/g, ' ');
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

/** For a language model, in English. */
const CANNOT_WAIT =
  'This call needs the approval of a person (the setting agents.approve of Vibe Engine), and this client cannot wait for it. Ask the person to run it, or do without it.';
const NOT_FROM_HERE =
  'This call needs the approval of a person, which a sub-agent cannot wait for. Leave it to the main agent.';
const ONE_AT_A_TIME =
  'This call needs the approval of a person, and another call of this answer waits for one already. Make it again in an answer of its own.';
const ASKED = 'Vibe Engine: a person has to approve this call (agents.approve).';
const WAITS = 'Vibe Engine: this call waits for the approval of a person (vibe-engine questions).';
export const ALLOWED = 'Vibe Engine: a person has approved this call.';

function refusedBy(by: string | null): string {
  return `Vibe Engine: ${by ?? 'A person'} refused this call. Do not try it again; ask what to do instead.`;
}
