import { checkSetup, type SetupPlace } from './setup.ts';

export const setupGemini = (place: SetupPlace): Promise<void> =>
  checkSetup(
    {
      client: 'gemini',
      settings: {
        '.gemini/settings.json': '{"security":{"auth":{"selectedType":"gemini-api-key"}}}',
        '.gemini/trustedFolders.json': '{"/somewhere":"TRUST_FOLDER"}',
      },
      change: ['.gemini/trustedFolders.json', (text) => text.replace('/somewhere', '/mine')],
      warmUp: ['extensions', 'list'],
      noise: /^\.gemini\/(?:installation_id|projects\.json\..*\.tmp)/,
      install: [],
    },
    place,
  );
