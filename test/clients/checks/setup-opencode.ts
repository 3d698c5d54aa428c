import { checkSetup, type SetupPlace } from './setup.ts';

export const setupOpencode = (place: SetupPlace): Promise<void> =>
  checkSetup(
    {
      client: 'opencode',
      settings: {
        '.config/opencode/opencode.json': '{"share":"disabled"}',
        '.config/opencode/plugin/own.js': 'export const Own = async () => ({});\n',
      },
      change: ['.config/opencode/command/vibe/tasks.md', (text) => `${text}\nmine\n`],
      warmUp: ['--version'],
      noise: /^\.local\/share\/opencode\//,
      install: [],
    },
    place,
  );
