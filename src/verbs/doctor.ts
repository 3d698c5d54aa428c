/** `doctor`: checks everything that is stored. Mends, when told to, what can be mended safely. */
import type { Examined, Mended, StoreFinding } from '../engine/doctor/doctor.ts';
import { StoreError } from '../errors.ts';
import { YES } from './changing/options.ts';
import { EXIT } from './kit/exit.ts';
import { type Call, verb } from './kit/verb.ts';

const MOST_LISTED = 50;

export const doctor = verb({
  name: 'doctor',
  group: 'care',
  summary: 'doctor.summary',
  options: { repair: { about: 'doctor.option.repair' }, ...YES },
  examples: ['doctor', 'doctor --repair', 'doctor --json'],
  data: {
    healthy: 'boolean',
    checked: {
      tasks: 'number',
      entries: 'number',
      checkpoints: 'number',
      blobs: 'number',
      snapshots: 'number',
      files: 'number',
    },
    problems: [
      { code: 'string', message: 'string', task: 'string|null', where: 'string', repair: 'string|null' },
    ],
    repaired: [{ task: 'string|null', where: 'string', repair: 'string', aside: 'string|null' }],
    /** Why the key was not at hand, and bytes alone were checked. */
    without_key: 'string|null',
  },
  async run(call) {
    const { say, options } = call;
    const store = await call.store().catch(unlessLocked);
    if (store instanceof StoreError) {
      if (options.repair) throw store; // To mend takes the key.
      return withoutKey(store, call);
    }
    const { mendStore } = await import('../engine/doctor/doctor.ts');
    const first = await examine(store, call);
    const mendable = first.problems.filter(({ mend }) => mend !== null).length;
    if (!options.repair || mendable === 0) return answerOf(first, [], call);
    for (const line of problemLines(first.problems, call)) call.tell(line);
    if (!options.yes && !(await call.ask.confirm(say('doctor.ask', { count: mendable }), '--yes')))
      return { ...answerOf(first, [], call), lines: [say('ask.declined')], exit: EXIT.declined };
    const repaired = await mendStore(store.storage, first.problems);
    return answerOf(await examine(store, call), repaired, call);
  },
});

const LOCKED = new Set(['NO_KEY', 'WRONG_KEY', 'STORE_ENCRYPTED']);

function unlessLocked(error: unknown): StoreError {
  if (error instanceof StoreError && LOCKED.has(error.code)) return error;
  throw error;
}

async function withoutKey(why: StoreError, call: Speaker & Pick<Call, 'project_dir' | 'onProgress'>) {
  const [{ loadConfig }, { openUnsealed }, { examineLocked, nothingSeen }] = await Promise.all([
    import('../config/load.ts'),
    import('../storage/factory.ts'),
    import('../engine/doctor/doctor.ts'),
  ]);
  const { config, project_dir } = loadConfig({ project_dir: call.project_dir });
  const storage = await openUnsealed(config, { project_dir });
  try {
    const checked = nothingSeen();
    const problems = await Array.fromAsync(
      examineLocked({ storage, config, project_dir }, checked, call.onProgress),
    );
    return answerOf({ checked, problems }, [], call, why);
  } finally {
    await storage.close();
  }
}

interface Report {
  readonly checked: Examined;
  readonly problems: readonly StoreFinding[];
}

async function examine(
  store: Awaited<ReturnType<Call['store']>>,
  { onProgress }: Pick<Call, 'onProgress'>,
): Promise<Report> {
  const { examineStore, nothingSeen } = await import('../engine/doctor/doctor.ts');
  const checked = nothingSeen();
  const problems: StoreFinding[] = [];
  for await (const finding of examineStore(store, checked, onProgress)) problems.push(finding);
  return { checked, problems };
}

type Speaker = Pick<Call, 'say' | 'translate' | 'paint' | 'invoke'>;

function answerOf(
  { checked, problems }: Report,
  repaired: readonly Mended[],
  call: Speaker,
  locked: StoreError | null = null,
) {
  const { say, translate, paint } = call;
  const mendable = problems.some(({ mend }) => mend !== null);
  const end =
    problems.length === 0
      ? paint.good(say(locked ? 'doctor.bytes_healthy' : 'doctor.healthy'))
      : say('doctor.found', { count: problems.length });
  return {
    data: {
      healthy: problems.length === 0,
      checked,
      problems: problems.map(({ mend, ...rest }) => ({ ...rest, repair: mend })),
      repaired: repaired.map(({ mend, ...rest }) => ({ ...rest, repair: mend })),
      without_key: locked?.message ?? null,
    },
    lines: [
      ...repaired.map(({ where: place, aside }) => {
        const where = translate(place);
        return aside === null ? say('doctor.mended', { where }) : say('doctor.put_aside', { where, aside });
      }),
      ...problemLines(problems, call),
      ...(locked ? [say('doctor.locked', { why: translate(locked.message) })] : []),
      say(locked ? 'doctor.bytes_checked' : 'doctor.checked', { ...checked }),
      end,
      ...(mendable && repaired.length === 0
        ? [say('doctor.can_repair', { command: call.invoke('doctor --repair') })]
        : []),
    ],
    ...(problems.length === 0 ? {} : { exit: EXIT.found }),
  };
}

function problemLines(problems: readonly StoreFinding[], { say, translate, paint }: Speaker): string[] {
  const more = problems.length - MOST_LISTED;
  return [
    ...problems.slice(0, MOST_LISTED).map(({ message, where }) =>
      say('doctor.problem', {
        mark: paint.bad('✗'),
        message: translate(message),
        where: translate(where),
      }),
    ),
    ...(more > 0 ? [say('clean.more', { count: more })] : []),
  ];
}
