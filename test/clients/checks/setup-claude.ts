import { checkSetup, type SetupPlace } from './setup.ts';

export const setupClaude = (place: SetupPlace): Promise<void> =>
  checkSetup(
    {
      client: 'claude',
      settings: { '.claude/settings.json': '{"permissions":{"deny":["Bash(git push:*)"]}}' },
      change: ['.claude/settings.json', (text) => text.replace('git push', 'mine')],
      warmUp: ['plugin', 'list'],
      // Its notes of itself, which any command of it may change.
      noise: /^\.claude\.json|^\.claude\/backups\//,
      install: [],
    },
    place,
  );
