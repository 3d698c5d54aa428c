/** A Node process that measures something and prints it. */
import { execFile } from 'node:child_process';

/** What it prints. `env` is for what arguments would show to everybody. It ends with this process. */
export function outputOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [...args],
      { env: { ...process.env, ...env } },
      (error, stdout) => {
        process.removeListener('exit', kill);
        if (error) reject(error);
        else resolve(stdout);
      },
    );
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
  });
}
