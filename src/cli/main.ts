/** The command line as a process: arguments in, lines out, an exit code. */
import { runCli } from './run.ts';

// A reader that leaves early (`| head -1`) is no reason to stop half-way and leave things lying about.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
