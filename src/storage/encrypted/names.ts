/** Where the keys of an encrypted store are: outside tasks, in a category of their own. */
export const KEYS = 'keys';
/** The root key, locked with the user's. */
export const ROOT = 'store';
/** The keys of tasks, one each below this. */
export const OF_TASKS = 'tasks';
/** The record of a store that is being moved to another, or comes from another. */
export const MOVING = 'moving';
export const MOVED_FROM = 'moved-from';
