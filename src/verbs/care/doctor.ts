/** `doctor`: checks everything that is stored. With --repair it repairs what can be repaired safely. */
import type { Examined, Mended, StoreFinding } from '../../engine/doctor/doctor.ts';
import { CorruptError, StoreError } from '../../errors.ts';
import { EXIT } from '../kit/exit.ts';
import { type Call, verb } from '../kit/verb.ts';
import { YES } from '../shared/options.ts';

const MOST_LISTED = 50;

export const doctor = verb({
  name: 'doctor',
  group: 'care',
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
    /** Why the key was not available, so that only bytes were checked. */
    without_key: 'string|null',
  },
  async run(call) {
    const { say, options } = call;
    const repaired: Mended[] = [];
    const agrees = async (problems: readonly StoreFinding[]): Promise<boolean> => {
      for (const line of problemLines(problems, call)) call.tell(line);
      const count = problems.filter(({ mend }) => mend !== null).length;
      return options.yes || call.ask.confirm(say('doctor.ask', { count }), '--yes');
    };
    const declined = (found: Report) => ({
      ...answerOf(found, [], call),
      lines: [say('ask.declined')],
      exit: EXIT.declined,
    });
    let store = await call.store().catch((error) => unlessClosed(error, call));
    if (store instanceof StoreError && typeof store.data.remake === 'string') {
      const { emptyExamination, remakeStore } = await import('../../engine/doctor/doctor.ts');
      const { code, message } = store;
      const where = String(store.data.path);
      const problem: StoreFinding = { code, message, task: null, where, mend: 'store' };
      const found = { checked: emptyExamination(), problems: [problem] };
      if (!options.repair) return answerOf(found, [], call);
      if (!(await agrees(found.problems))) return declined(found);
      repaired.push({ task: null, where, mend: 'store', aside: remakeStore(store.data.remake) });
      store = await call.store().catch((error) => unlessClosed(error, call));
    }
    if (store instanceof StoreError) {
      if (options.repair || !LOCKED.has(store.code)) throw store; // Repairing needs the key.
      return withoutKey(store, call);
    }
    const { mendStore } = await import('../../engine/doctor/doctor.ts');
    let found = await examine(store, call);
    if (!options.repair || !found.problems.some(isMendable)) return answerOf(found, repaired, call);
    if (repaired.length === 0 && !(await agrees(found.problems))) return declined(found);
    // A repair may reveal more damage: it repeats until nothing is left to repair.
    for (let left = MOST_ROUNDS; left > 0 && found.problems.some(isMendable); left--) {
      const mended = await mendStore(store.storage, found.problems);
      if (mended.length === 0) break;
      repaired.push(...mended);
      found = await examine(store, call);
    }
    return answerOf(found, repaired, call);
  },
});

const MOST_ROUNDS = 5;

const isMendable = ({ mend }: StoreFinding): boolean => mend !== null;

const LOCKED = new Set(['NO_KEY', 'WRONG_KEY', 'STORE_ENCRYPTED']);

/** Without its key, or without its description. */
function unlessClosed(error: unknown, call: Speaker): StoreError {
  const isClosed = error instanceof StoreError && (LOCKED.has(error.code) || error.data.remake !== undefined);
  if (isClosed) return error;
  throw beyondRepair(error, call);
}

/** A database that cannot even be read: its hint names this command, which cannot do anything either. */
function beyondRepair(error: unknown, { say }: Speaker): unknown {
  if (!(error instanceof CorruptError) || error.data.database !== true) return error;
  const { message, data, cause } = error;
  return new CorruptError(message, { data, cause, hint: say('doctor.restore', { path: String(data.path) }) });
}

async function withoutKey(why: StoreError, call: Speaker & Pick<Call, 'project_dir' | 'onProgress'>) {
  const [{ loadConfig }, { examineLocked, emptyExamination }] = await Promise.all([
    import('../../config/load.ts'),
    import('../../engine/doctor/doctor.ts'),
  ]);
  const checked = emptyExamination();
  const place = loadConfig({ project_dir: call.project_dir });
  const problems = await Array.fromAsync(examineLocked(place, checked, call.onProgress));
  return answerOf({ checked, problems }, [], call, why);
}

interface Report {
  readonly checked: Examined;
  readonly problems: readonly StoreFinding[];
}

async function examine(
  store: Awaited<ReturnType<Call['store']>>,
  call: Speaker & Pick<Call, 'onProgress'>,
): Promise<Report> {
  const { examineStore, emptyExamination } = await import('../../engine/doctor/doctor.ts');
  const checked = emptyExamination();
  const problems: StoreFinding[] = [];
  try {
    for await (const finding of examineStore(store, checked, call.onProgress)) problems.push(finding);
  } catch (error) {
    throw beyondRepair(error, call);
  }
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
        return aside === null
          ? say('doctor.mended', { where })
          : say('doctor.put_aside', { where, aside: translate(aside) });
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
