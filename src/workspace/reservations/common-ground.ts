/** Which reservations know each other, and by which name each of them calls a file. */
import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { repositoryId } from '../git/repository-id.ts';

export interface CommonGround {
  /** The key of their board. */
  readonly id: string;
  /** The same for a file wherever it is, from its path in the workspace. */
  readonly nameOf: (path: string) => string;
}

export interface GroundOptions {
  /** The workspace. */
  readonly root: string;
  /** Whether other machines use the store. */
  readonly shared: boolean;
  /** Said by the user: whoever says the same is on the same ground. */
  readonly identity: string | null;
}

/** On one machine the directory itself. Other machines have the same files elsewhere: there it is the repository. */
export async function commonGround({ root, shared, identity }: GroundOptions): Promise<CommonGround> {
  const repository = shared || identity !== null ? await repositoryId(root) : null;
  const id = identity ?? repository?.id ?? `${hostname()}\0${root}`;
  const prefix = repository?.prefix ?? '';
  // Some machine may not tell names apart by case.
  const nameOf = (path: string) => (shared ? `${prefix}${path}`.toLowerCase() : `${prefix}${path}`);
  return { id: hash('sha256', id).slice(0, 32), nameOf };
}
