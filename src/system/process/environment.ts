/** The environment for commands that a task runs: ours, without the keys of the store. */
const SECRET = [
  ...['VIBE_ENGINE_KEY', 'VIBE_ENGINE_PASSPHRASE'],
  ...['VIBE_ENGINE_NEW_KEY', 'VIBE_ENGINE_NEW_PASSPHRASE'],
];

export function withoutKeys(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!SECRET.some((name) => name in env)) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.includes(name)));
}
