/** Runs a verb in its environment. */
import type { Engine } from '../../engine/engine.ts';
import { StoreError } from '../../errors.ts';
import type { Answer, Call, Followed, GoingOn, Store, Verb } from './verb.ts';
import type { Values } from './words.ts';

/** An environment in which verbs are called: a terminal, an agent's prompt. */
export interface Host
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
    | 'tell'
    | 'note'
    | 'json'
    | 'invoke'
    | 'project_dir'
    | 'path'
    | 'findStore'
    | 'worker'
  > {
  goOn(call: Omit<Call, 'args' | 'options'>, task: string, going: GoingOn): Promise<Answer<Followed>>;
  /** On the store; `files`: with a workspace. */
  engine(store: Store, files: boolean): Promise<Engine>;
}

export function perform(verb: Verb, args: Values, options: Values, host: Host): Promise<Answer> {
  const { engine, goOn, ...given } = host;
  const store = async (): Promise<Store> => (await host.findStore()) ?? refuseWithoutStore(host);
  const call: Call<Values, Values> = {
    ...given,
    args,
    options,
    store,
    goOn: (task, going) => goOn(call, task, going),
    engine: async (files = verb.files ?? false) => engine(await store(), files),
    reader: async () => {
      const { openReader } = await import('../../engine/reading/reader.ts');
      return openReader({ ...(await store()), now: host.now });
    },
    ids: async () => {
      const { readIds } = await import('./ids.ts');
      return readIds(await call.reader(), host.say);
    },
  };
  return verb.run(call as never);
}

function refuseWithoutStore({ say, project_dir: place }: Host): never {
  throw new StoreError('STORE_UNAVAILABLE', say('store.none', { place }), {
    data: { place },
    hint: say('store.none_hint'),
  });
}
