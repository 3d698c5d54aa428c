/** The command line with a clock on which everything takes long, or nothing any time: `slow-clock.ts 2000 doctor`. */
import { runCli } from '../../src/cli/run.ts';

const [step, ...args] = process.argv.slice(2);
let time = Date.parse('2026-01-01T00:00:00Z');
const { stdin, stdout, stderr } = process;
process.exitCode = await runCli(args, {
  env: process.env,
  cwd: process.cwd(),
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  screen: stdout.isTTY ? stdout : null,
  interactive: Boolean(stdin.isTTY && stdout.isTTY),
  clock: {
    now: () => {
      time += Number(step);
      return new Date(time);
    },
  },
});
