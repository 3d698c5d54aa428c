/** The command line as a process: arguments in, lines out, an exit code. */

import { VERSION } from '../system/version.ts';
import type { Say } from '../verbs/text/choose.ts';

const args = process.argv.slice(2);

// A reader that leaves early (`| head -1`) is no reason to stop half-way and leave work unfinished.
let unwritten: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') unwritten ??= error;
});
process.stderr.on('error', () => {}); // Nothing can be reported.

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else if (args[0] === '--complete') {
  const { answerCompletion } = await import('./complete.ts');
  const out = (text: string): void => void process.stdout.write(text);
  const cwd = whereWeAre();
  if (cwd !== null) await answerCompletion(args.slice(1), { env: process.env, cwd, out });
} else if (args[0] === 'agent-host' && args.includes('--hook')) {
  const [{ text }, { hookLimit, sendHook }] = await Promise.all([
    import('node:stream/consumers'),
    import('./agents/send-hook.ts'),
  ]);
  const print = (said: string): void => void process.stdout.write(said);
  const to = { socket: process.env.VIBE_ENGINE_SOCKET ?? '', limit_ms: hookLimit(args) };
  process.exitCode = await sendHook(to, await text(process.stdin), print);
} else if (args[0] === 'agent-host' && args.includes('--relay')) {
  const [{ relay }, { hookPatience }] = await Promise.all([
    import('../system/process/relay.ts'),
    import('./agents/patience.ts'),
  ]);
  const rest = args.filter((arg) => arg !== '--relay');
  process.exit(
    await relay(
      [process.execPath, process.argv[1]!, ...rest, `--client-process=${process.ppid}`],
      hookPatience(process.env),
    ),
  );
} else if (args[0] === 'agent-host' && whereWeAre() !== null) {
  // Its output is a protocol: nothing else may be printed.
  const { agentHost } = await import('./agents/agent-host.ts');
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  process.exit(await agentHost({ args: args.slice(1), env: process.env, cwd: whereWeAre()!, log }));
} else if (whereWeAre() === null) {
  await complain((say) => say('cwd.gone'));
} else {
  const { runCli } = await import('./run.ts');
  const { stdin, stdout, stderr } = process;
  // Some terminals report no width: with zero columns nothing could be shown.
  if (stdout.isTTY && !stdout.columns) Object.assign(stdout, { columns: 80, rows: 24 });
  process.exitCode = await runCli(args, {
    env: process.env,
    cwd: whereWeAre()!,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    screen: stdout.isTTY ? stdout : null,
    interactive: Boolean(stdin.isTTY && stdout.isTTY),
  });
}

await new Promise((turn) => setImmediate(turn)); // A failed write is reported on the next turn.
if (unwritten) {
  const { message } = unwritten;
  await complain((say) => say('output.failed', { why: message }));
}

/** Null where the directory has been deleted. */
function whereWeAre(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

/** One sentence, if nothing else can be shown. */
async function complain(sentence: (say: Say) => string): Promise<void> {
  const { languageOf, speak } = await import('../verbs/text/choose.ts');
  process.stderr.write(`${sentence(await speak(languageOf(process.env)))}\n`);
  process.exitCode = 1;
}
