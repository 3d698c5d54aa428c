/** The record `workspaces/{place}`: where a workspace is, and which snapshot of it is the newest. */
import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import { RENEW_AFTER_MS } from '../../storage/clock.ts';
import type { Storage } from '../../storage/contract.ts';
import type { Clock } from '../../system/clock.ts';
import * as io from '../../system/io.ts';
import { isKnownRoot, rememberRoot } from './known-roots.ts';

const CATEGORY = 'workspaces';
const schema = z.object({
  root: z.string(),
  host: z.string(),
  snapshot: z.string(),
  /** When, by the clock that clean-up goes by. */
  at: z.iso.datetime().optional(),
});
type Noted = Readonly<z.infer<typeof schema>>;

/** One directory of one machine. */
export function rootId(root: string): string {
  return hash('sha256', `${hostname()}\0${root}`).slice(0, 32);
}

interface NewestNote {
  take(snapshot: string): Promise<void>;
  /** Writes down what was taken last, if it is not yet. It only saves time: an error is ignored. */
  write(): Promise<void>;
}

/** Nothing young is removed, so that a note may be late. */
const NOTE_AFTER_MS = 10_000;

/**
 * Clean-up keeps what the newest snapshot needs: without it the next one scans everything again. The first is noted at once,
 * so that the place is known; later ones a little later, so that no operation waits for it.
 */
export function noteNewest(storage: Storage, root: string, clock: Clock): NewestNote {
  let noted: { readonly snapshot: string; readonly at: number } | undefined;
  let newest: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const save = async (snapshot: string): Promise<void> => {
    const now = clock.now();
    const record: Noted = { root, host: hostname(), snapshot, at: now.toISOString() };
    await storage.save(CATEGORY, rootId(root), record);
    noted = { snapshot, at: now.getTime() };
  };
  const isDue = (): boolean =>
    noted?.snapshot !== newest || clock.now().getTime() - noted!.at >= RENEW_AFTER_MS;
  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (newest !== undefined && isDue()) await save(newest).catch(() => {}); // Clean-up keeps what is young.
  };
  return {
    async take(snapshot) {
      newest = snapshot;
      if (noted) {
        if (isDue()) timer ??= setTimeout(write, NOTE_AFTER_MS).unref();
        return;
      }
      rememberRoot(root);
      await save(snapshot);
    },
    write,
  };
}

const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60 * 1000;

/** Of the workspaces that were used lately, and that still exist as far as this machine knows. */
export async function newestSnapshots(storage: Storage, now: Date): Promise<string[]> {
  const newest: string[] = [];
  for (const key of await storage.list(CATEGORY)) {
    const record = await storage.get(CATEGORY, key);
    const noted = schema.safeParse(record?.data).data;
    if (!record || !noted || (isHere(noted) && !isThere(noted))) continue;
    const { at = record.updated_at, snapshot } = noted;
    if (now.getTime() - Date.parse(at) < FORGOTTEN_AFTER_MS) newest.push(snapshot);
  }
  return newest;
}

/** The existing workspaces of this machine in which this user has worked. */
export async function rootsHere(storage: Storage): Promise<string[]> {
  const roots: string[] = [];
  for (const key of await storage.list(CATEGORY)) {
    const noted = schema.safeParse(await storage.load(CATEGORY, key)).data;
    if (noted && isHere(noted) && isThere(noted) && isKnownRoot(noted.root)) roots.push(noted.root);
  }
  return roots;
}

function isHere({ host }: Noted): boolean {
  return host === hostname();
}

function isThere({ root }: Noted): boolean {
  return io.lstat(root)?.isDirectory() ?? false;
}
