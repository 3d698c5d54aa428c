/** Calls verbs on the server. Every call carries the key; what is wrong with the connection is known in one place. */
import { signal } from '@preact/signals';
import { language } from '../ground/language.ts';
import { findKey, followKey, forgetKey, shareKey } from './key.ts';

/** How the page stands with its server. `full`: it answers, but follows as many pages as it can already. */
type Connection = 'starting' | 'live' | 'gone' | 'full' | 'no_key';
export const connection = signal<Connection>('starting');

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | null;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, hint: string | null, data: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.data = data;
  }
}

let key: string | null = null;

/** Whether there is a key to call with. */
export async function takeKey(): Promise<boolean> {
  key = await findKey();
  if (key === null) connection.value = 'no_key';
  // A server that was started again has another key, which one tab may have got.
  shareKey(() => connection.peek() === 'no_key' || connection.peek() === 'gone');
  followKey(() => (connection.peek() === 'no_key' ? null : key));
  return key !== null;
}

/** Calls a verb: `call('checkpoints diff', { from, to }, { path })`. */
export async function call<T>(
  verb: string,
  args: Readonly<Record<string, unknown>> = {},
  options: Readonly<Record<string, unknown>> = {},
  abort?: AbortSignal,
): Promise<T> {
  const body = JSON.stringify({ args: given(args), options: given(options) });
  const headers = { 'content-type': 'application/json' };
  const response = await request(`/api/${verb.replaceAll(' ', '/')}`, {
    method: 'POST',
    body,
    headers,
    ...(abort && { signal: abort }),
  });
  return ((await response.json()) as { data: T }).data;
}

/** Sends it with the key; throws ApiError for whatever is not a success. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    'accept-language': language.peek(),
    ...(init.headers as Record<string, string> | undefined),
    authorization: `Bearer ${key}`,
  };
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    if (connection.peek() !== 'no_key') connection.value = 'gone';
    throw new ApiError('SERVER_GONE', String(error), null, {});
  }
  if (response.ok) return response;
  if (response.status === 401) {
    forgetKey();
    connection.value = 'no_key';
  }
  // What is no JSON does not come from the server.
  const { error } = ((await response.json().catch(() => null)) ?? {}) as { error?: Partial<ApiError> };
  throw new ApiError(
    error?.code ?? `HTTP_${response.status}`,
    error?.message ?? response.statusText,
    error?.hint ?? null,
    error?.data ?? {},
  );
}

/** What was not given is left out. */
function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
  );
}
