/** `completion`: the script that lets a shell complete our commands. */
import { fileURLToPath } from 'node:url';
import { readIfExists } from '../../system/files.ts';
import { packaged } from '../../system/packaged.ts';
import { verb } from '../../verbs/kit/verb.ts';

export const completion = verb({
  name: 'completion',
  group: 'care',
  arguments: { shell: { about: 'completion.argument', choices: ['bash', 'zsh', 'fish'] } },
  examples: ['completion bash', 'completion fish'],
  data: { shell: 'string', script: 'string' },
  async run({ args: { shell } }) {
    const script = readIfExists(fileURLToPath(packaged(`completions/vibe-engine.${shell}`)))!.toString(
      'utf8',
    );
    return { data: { shell, script }, lines: script.trimEnd().split('\n') };
  },
});
