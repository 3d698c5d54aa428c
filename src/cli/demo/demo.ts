/** `vibe-engine demo`: a real task killed in the middle, resumed, merged with what others did, and finished. */
import { satisfies } from '../../checkpoint/validation/version-range.ts';
import { ConfigError } from '../../errors.ts';
import { removeTree } from '../../system/files.ts';
import { onEndSignal } from '../../system/process/signals.ts';
import { toolVersion } from '../../system/process/tools.ts';
import { makeOpenTempDir } from '../../system/user/temp.ts';
import { table } from '../../verbs/format/table.ts';
import { EXIT } from '../../verbs/kit/exit.ts';
import { verb } from '../../verbs/kit/verb.ts';
import type { Say } from '../../verbs/text/choose.ts';
import { openStage } from './stage.ts';
import { play } from './story.ts';

export const demo = verb({
  name: 'demo',
  group: 'run',
  options: {
    storage: { value: 'type', choices: ['json', 'sqlite'], about: 'demo.option.storage' },
    keep: { about: 'demo.option.keep' },
  },
  examples: ['demo', 'demo --storage sqlite --keep'],
  data: {
    task: 'string|null',
    steps: 'number',
    steps_before_kill: 'number',
    commits: ['string'],
    folder: 'string|null',
  },
  async run(call) {
    const { keep, storage = 'json' } = call.options;
    const { say, tell } = call;
    await requireGit(say);
    const folder = makeOpenTempDir('vibe-engine-demo-');
    const stage = openStage(folder, call);
    const ignore = onEndSignal(() => stage.stop());
    try {
      const told = await play(stage, { folder, storage, say });
      if (!keep) tell(say('demo.keep_next', { command: call.invoke('demo --keep') }));
      else for (const line of nextLines(stage.repository, told.task, call)) tell(line);
      return { data: { ...told, folder: keep ? folder : null }, lines: [] };
    } catch (error) {
      if (!stage.stopped()) throw error;
      const data = { task: null, steps: 0, steps_before_kill: 0, commits: [], folder: keep ? folder : null };
      return { data, lines: [], exit: EXIT.interrupted };
    } finally {
      ignore();
      if (keep) tell(say('demo.kept', { path: folder }));
      else removeTree(folder);
    }
  },
});

/** What a repository is rebased with. */
const GIT = '2.38';

async function requireGit(say: Say): Promise<void> {
  const found = await toolVersion('git');
  if (found !== null && (await satisfies(found, `>=${GIT}`)) === true) return;
  const message = found === null ? say('demo.no_git') : say('demo.old_git', { found, needed: GIT });
  throw new ConfigError('MISSING_DEPENDENCY', message, {
    data: { package: 'git', found, needed: GIT },
    hint: say('demo.no_git_hint', { needed: GIT }),
  });
}

interface Next {
  readonly say: Say;
  readonly invoke: (words: string) => string;
}

function nextLines(repository: string, task: string, { say, invoke }: Next): string[] {
  const short = task.slice(-6);
  const rows = NEXT.map(([key, words]) => [
    say(`demo.next.${key}`),
    invoke(`${words} ${short} --project ${repository}`),
  ]);
  return ['', say('demo.next'), ...table(rows, null).map((line) => `  ${line}`)];
}

const NEXT = [
  ['show', 'show'],
  ['conversations', 'conversations'],
  ['checkpoints', 'checkpoints list'],
  ['history', 'history'],
] as const;
