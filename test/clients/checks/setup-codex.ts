import { checkSetup, type SetupPlace } from './setup.ts';

export const setupCodex = (place: SetupPlace): Promise<void> =>
  checkSetup(
    {
      client: 'codex',
      settings: {
        '.codex/config.toml': '# a comment\nmodel = "gpt-5.5"   # another\n\n[tui]\n notifications=false\n',
      },
      change: ['.codex/config.toml', (text) => text.replace('a comment', 'mine')],
      warmUp: ['plugin', 'list'],
      // Databases, logs and skills of its own; what it trusts by content, without a name.
      noise: /^\.codex\/(?:.*\.sqlite|\.tmp\/|skills\/|installation_id|\.hook-trust\/|log)/,
      install: ['--trust'],
    },
    place,
  );
