/** The command line as a process: arguments in, lines out, an exit code. */
import { VERSION } from './version.ts';

const args = process.argv.slice(2);

// A reader that leaves early (`| head -1`) is no reason to stop half-way and leave things lying about.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else if (args[0] === '--complete') {
  const { answerCompletion } = await import('./completing/answer.ts');
  const out = (text: string): void => void process.stdout.write(text);
  await answerCompletion(args.slice(1), { env: process.env, cwd: process.cwd(), out });
} else {
  const { runCli } = await import('./run.ts');
  const { stdin, stdout, stderr } = process;
  // Some terminals do not tell: in no columns at all nothing could be written or asked.
  if (stdout.isTTY && !stdout.columns) Object.assign(stdout, { columns: 80, rows: 24 });
  process.exitCode = await runCli(args, {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    screen: stdout.isTTY ? stdout : null,
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
  });
}
