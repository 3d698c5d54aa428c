/** Where the key that locks a store comes from: never from the store. */

/** What a provider may need to know. */
export interface KeyRequest {
  /** The store's id, for services that keep a key per store. */
  readonly store: string;
  /** Sixteen random bytes kept with the locked key; for keys that are derived from something people remember. */
  readonly salt: Uint8Array;
}

export interface KeyProvider {
  /** Says where it looks, for messages. Never the key. */
  readonly source: string;
  /** 32 bytes, always the same ones for the same request. */
  key(request: KeyRequest): Promise<Uint8Array>;
}
