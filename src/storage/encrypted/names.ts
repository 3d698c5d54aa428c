/** Where the keys of an encrypted store are: outside tasks, in a category of their own. */
export const KEYS = 'keys';
/** The root key, locked with the user's. */
export const ROOT = 'store';
/** The keys of tasks, one each below this. */
export const OF_TASKS = 'tasks';
/** A store from which everything is moved; the note of one that comes from another. */
export const MOVING = 'moving';
export const MOVED_FROM = 'moved-from';
