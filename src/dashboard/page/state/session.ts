/** What the server says of itself: the project, and what may be done. */
import { signal } from '@preact/signals';
import { request } from '../net/api.ts';
import type { Session } from '../shapes/types.ts';

export const session = signal<Session | null>(null);

export async function loadSession(): Promise<void> {
  const { data } = (await (await request('/api/session')).json()) as { data: Session };
  session.value = data;
}

/** Whether the page offers what changes something. */
export const mayChange = (): boolean => session.value !== null && !session.value.read_only;

export const mayCall = (verb: string): boolean => session.value?.verbs.includes(verb) ?? false;
