/** The dashboard's server on a project: with a store and engines of its own, which stay open as long as it runs. */

import { type Dashboard, type DashboardOptions, openDashboard } from '../../dashboard/server.ts';
import type { Prompter } from '../../engine/api/prompter.ts';
import { maskSecrets } from '../../engine/secrets/detect.ts';
import { answering, IoError, VibeError } from '../../errors.ts';
import { askNobody } from '../../verbs/kit/nobody.ts';
import type { Call } from '../../verbs/kit/verb.ts';
import type { Say } from '../../verbs/text/choose.ts';
import { openProject, type Project } from '../common/project.ts';

/** Not `localhost`, which may mean ::1, too. */
const HERE = '127.0.0.1';

interface ServeOptions
  extends Pick<Call, 'project_dir' | 'language' | 'invoke' | 'now' | 'say' | 'note' | 'translate'>,
    Pick<DashboardOptions, 'read_only' | 'reveal' | 'ports' | 'onEntered'> {
  /** Another address to listen on, and the names by which it may be reached. */
  readonly elsewhere?: { readonly host: string; readonly names: readonly string[] };
}

/** Null where no port was free. */
export async function serve(options: ServeOptions): Promise<Dashboard | null> {
  const { project_dir, invoke, say, note, translate, reveal, elsewhere } = options;
  const project = openProject({
    dir: project_dir,
    prompter: nobody(say),
    notify: (lines) => note(lines.map(translate).join('\n')),
    onProgress: () => {},
    command: invoke,
  });
  // Other faults of a store are shown on the page, which can do something about them.
  await project.findStore().catch((error: unknown) => {
    if (!isKnown(error) || (error instanceof IoError && error.code === 'NO_PERMISSION')) throw error;
  });
  const dashboard = await openDashboard({
    ...options,
    host: elsewhere?.host ?? HERE,
    names: elsewhere?.names ?? [HERE, 'localhost'],
    mask: reveal ? (text) => text : maskSecrets,
    findStore: project.findStore,
    engine: project.engine,
    resume: async (call, task, how, asked) =>
      (await import('./detached.ts')).resumeDetached(call, task, how, asked),
  });
  if (!dashboard) return null;
  const finishing = options.read_only ? null : finishLeft(project);
  return {
    ...dashboard,
    async close() {
      try {
        await finishing;
      } finally {
        await dashboard.close();
        await project.close();
      }
    },
  };
}

/** A server that was killed while it took a task back: the next one finishes that. What it cannot decide, the page shows. */
async function finishLeft(project: Project): Promise<void> {
  try {
    const store = await project.findStore();
    if (!store) return;
    const { reader } = await project.engine(store, false);
    for (const task of await reader.unfinished()) {
      const engine = await project.engine(store, true);
      await engine.finish(task).catch(answering(isKnown, undefined));
    }
  } catch (error) {
    // A store that cannot be read is told to those who look at it.
    if (!isKnown(error)) throw error;
  }
}

/** Nobody sits at this terminal: a question is an answer to the page, which asks its reader. */
function nobody(say: Say): Prompter {
  const { choose } = askNobody(say);
  return {
    ask: ({ message, options, recommended }) =>
      choose(
        message,
        options.map((value) => ({ value, label: value })),
        '--yes',
        recommended,
      ),
  };
}

function isKnown(error: unknown): boolean {
  return error instanceof VibeError;
}
