/** Runs a verb in its environment. */
import type { Engine } from '../../engine/engine.ts';
import type { Reader } from '../../engine/reading/reader.ts';
import { StoreError } from '../../errors.ts';
import type { Answer, Call, Followed, Resuming, Store, Verb } from './verb.ts';
import type { Values } from './words.ts';

/** An environment in which verbs are called: a terminal, an agent's prompt. */
export interface Frontend
  extends Pick<
    Call,
    | 'language'
    | 'say'
    | 'translate'
    | 'paint'
    | 'live'
    | 'width'
    | 'now'
    | 'onProgress'
    | 'signal'
    | 'ask'
    | 'interactive'
    | 'by'
    | 'tell'
    | 'note'
    | 'json'
    | 'invoke'
    | 'project_dir'
    | 'path'
    | 'findStore'
    | 'worker'
  > {
  /** `asked` is what the verb was called with, for an environment that resumes tasks in another process. */
  resume(
    call: Omit<Call, 'args' | 'options'>,
    task: string,
    how: Resuming,
    asked: AskedVerb,
  ): Promise<Answer<Followed>>;
  /** On the store, where one stays open; default: a new one for each call. */
  reader?(store: Store): Promise<Reader>;
  /** On the store; `files`: with a workspace. */
  engine(store: Store, files: boolean): Promise<Engine>;
}

export interface AskedVerb {
  readonly verb: Verb;
  readonly args: Values;
  readonly options: Values;
}

export function perform(verb: Verb, args: Values, options: Values, frontend: Frontend): Promise<Answer> {
  const { engine, resume, ...given } = frontend;
  const store = async (): Promise<Store> => (await frontend.findStore()) ?? refuseWithoutStore(frontend);
  const call: Call<Values, Values> = {
    ...given,
    args,
    options,
    store,
    resume: (task, how) => resume(call, task, how, { verb, args, options }),
    engine: async (files = verb.files ?? false) => engine(await store(), files),
    reader: async () => {
      if (frontend.reader) return frontend.reader(await store());
      const { openReader } = await import('../../engine/reading/reader.ts');
      return openReader({ ...(await store()), now: frontend.now });
    },
    ids: async () => {
      const { readIds } = await import('./ids.ts');
      return readIds(await call.reader(), frontend.say);
    },
  };
  return verb.run(call as never);
}

function refuseWithoutStore({ say, project_dir: place }: Frontend): never {
  throw new StoreError('STORE_UNAVAILABLE', say('store.none', { place }), {
    data: { place },
    hint: say('store.none_hint'),
  });
}
