/** The keys of a store, also of one that does not open: what the `keys` commands do. */
export { initEncryption } from './init.ts';
export { currentKeyFile, keyInFile, makeKeyFile } from './key-files.ts';
export { decryptStore, encryptStore } from './move.ts';
export type { MovableProject } from './project.ts';
export { rotateKey } from './rotate.ts';
export { keyStatus } from './status.ts';
