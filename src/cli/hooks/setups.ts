/** Each client's setup, loaded on demand, and which of them a command is about. */
import type { ClientName, Setup, SetupState } from '../../agents/client.ts';
import { CLIENT_NAMES, TITLES } from '../../agents/names.ts';
import { VibeError } from '../../errors.ts';
import type { Shape } from '../../verbs/kit/shape.ts';
import type { Call } from '../../verbs/kit/verb.ts';

const SETUPS: Readonly<Record<ClientName, () => Promise<Setup>>> = {
  claude: async () => (await import('../../agents/claude/setup.ts')).claudeSetup,
  codex: async () => (await import('../../agents/codex/setup.ts')).codexSetup,
  gemini: async () => (await import('../../agents/gemini/setup.ts')).geminiSetup,
  opencode: async () => (await import('../../agents/opencode/setup.ts')).opencodeSetup,
};

export const CLIENT_ARGUMENT = {
  client: { about: 'hooks.argument.client', choices: CLIENT_NAMES, optional: true },
} as const;

export const HERE = {
  here: { about: 'hooks.option.here' },
  project: { value: 'dir', bare: 'here', about: 'hooks.option.project' },
} as const;

export const CLIENT_STATE = {
  client: 'string',
  found: 'boolean',
  version: 'string|null',
  installed: 'boolean',
  active: 'boolean',
  strict: 'boolean',
  missing: ['string'],
} as const satisfies Shape;

interface ClientState extends SetupState {
  readonly client: ClientName;
}

const UNKNOWN = { found: true, version: null, installed: false, active: false, strict: false } as const;

/** The one that was named, or all; one after the other, since some write the same directory. Of all, one that fails stops no other. */
export async function forClients(
  named: string | undefined,
  act: (setup: Setup, client: ClientName) => Promise<SetupState>,
): Promise<ClientState[]> {
  const states: ClientState[] = [];
  for (const client of CLIENT_NAMES.filter((name) => named === undefined || name === named)) {
    const setup = await SETUPS[client]();
    const state = await act(setup, client).catch((error: unknown) => {
      if (named !== undefined || !(error instanceof VibeError)) throw error;
      return { ...UNKNOWN, missing: [error.message] };
    });
    states.push({ client, ...state });
  }
  return states;
}

/** A line per client, and below it whether it is strict, and what the person still has to do. `loosened`: those that were strict. */
export function stateLines(
  states: readonly ClientState[],
  { say, translate, paint }: Pick<Call, 'say' | 'translate' | 'paint'>,
  loosened: ReadonlySet<ClientName> = new Set(),
): string[] {
  return states.flatMap(({ client, found, version, installed, active, strict, missing }) => {
    const word = !found ? 'absent' : !installed ? 'not_installed' : active ? 'active' : 'not_active';
    const title = version ? `${TITLES[client]} ${version}` : TITLES[client];
    const how = loosened.has(client) && !strict ? 'off' : strict ? 'on' : 'none';
    return [
      say(`hooks.state.${word}`, { client: title }),
      ...(installed ? [paint.dim(`  ${say(`hooks.strict.${how}`, { client: TITLES[client] })}`)] : []),
      ...missing.map((sentence) => paint.dim(`  ${translate(sentence).replaceAll('\n', '\n  ')}`)),
    ];
  });
}
