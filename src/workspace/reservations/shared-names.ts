/** Which reservations see each other, and the common name of each file. */
import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { repositoryId } from '../git/repository-id.ts';

interface SharedNames {
  /** The key of their board. */
  readonly id: string;
  /** The same for a file wherever it is, from its path in the workspace. */
  readonly nameOf: (path: string) => string;
}

interface SharedNamesOptions {
  /** The workspace. */
  readonly root: string;
  /** Whether other machines use the store. */
  readonly shared: boolean;
  /** Set by the user: processes with the same identity share a board. */
  readonly identity: string | null;
}

/** On one machine the directory itself. Across machines, which have the same files at other paths, it is the repository. */
export async function sharedNames({ root, shared, identity }: SharedNamesOptions): Promise<SharedNames> {
  const repository = shared || identity !== null ? await repositoryId(root) : null;
  const id = identity ?? repository?.id ?? `${hostname()}\0${root}`;
  const prefix = repository?.prefix ?? '';
  // Some machine may have a case-insensitive file system.
  const nameOf = (path: string) => (shared ? `${prefix}${path}`.toLowerCase() : `${prefix}${path}`);
  return { id: hash('sha256', id).slice(0, 32), nameOf };
}
