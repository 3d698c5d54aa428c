/** The contract suite for a store in which everything is sealed: damage is done to what the inner store has. */
import { randomBytes } from 'node:crypto';
import type { Storage } from '../../src/storage/contract.ts';
import { openKeyring } from '../../src/storage/encrypted/keyring.ts';
import { readLocked, unlock } from '../../src/storage/encrypted/locked-key.ts';
import type { Texts } from './damage-json.ts';
import type { Damage, Place as TestPlace } from './harness.ts';
import { keyProvider, MODULE, openPlain, openStore, type Place } from './open-store.ts';

/** Shown of what is sealed on JSON, and of this back end as it is: sealing comes before it, and changes nothing here. */
export const SEALED_ALIKE = [
  'values',
  'keys',
  'paging',
  'commits',
  'journals',
  'claims',
  'refusals',
  'tasks',
  'life',
  'several processes',
  'model',
];

type Inside = Pick<TestPlace, 'strangers' | 'remove'> & { readonly damage: Damage };

/** `children`: how their address differs from that of this process. */
export function encryptedPlace(
  place: Place,
  { damage, ...inside }: Inside,
  children: Readonly<Record<string, unknown>> = {},
): TestPlace {
  const key = randomBytes(32).toString('hex');
  const address = { ...place, key };
  const nameOf = (task: string | null, id: string): Promise<string> =>
    within(place, async (inner) => {
      const locked = readLocked(await inner.load('keys', 'store'));
      const keyring = openKeyring(inner.backend, await unlock(locked, keyProvider(key)));
      const [kind, digest] = id.split('/') as [string, string];
      const own = task === null ? keyring.outside : await keyring.find(task);
      return `${kind}/${own!.hiddenName(digest)}`;
    });
  return {
    ...inside,
    open: () => openStore(address),
    child: { module: MODULE, args: { ...address, ...children } },
    damage: {
      ...damage,
      blob: async (task, id) => damage.blob(task, await nameOf(task, id)),
      age: async (task, id, hours) => damage.age(task, await nameOf(task, id), hours),
    },
  };
}

/** What the inner store has, for damage that looks for it on the disk. */
export function sealedTexts(place: Place): Texts {
  return {
    record: (category, key) => within(place, async (inner) => (await inner.load(category, key)) as string),
    entry: (task, seq) =>
      within(place, async (inner) => {
        for await (const { data } of inner.read(task, { from: seq, limit: 1 })) return data as string;
        throw new Error(`There is no entry ${seq}.`);
      }),
  };
}

export async function within<T>(place: Place, run: (inner: Storage) => Promise<T>): Promise<T> {
  const inner = await openPlain(place);
  try {
    return await run(inner);
  } finally {
    await inner.close();
  }
}
