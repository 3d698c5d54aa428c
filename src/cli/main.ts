/** The command line as a process: arguments in, lines out, an exit code. */
import { runCli } from './run.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
