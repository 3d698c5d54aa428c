/**
 * An agent like those that are installed as a command: it knows nothing of Vibe Engine, edits files, and keeps its own
 * session. `exec` captures the files around and during its work:
 *
 *     vibe-engine exec --resume-with 'node wrapped-agent.js --continue' -- node wrapped-agent.js
 *     vibe-engine resume       # killed: resumes with the command above
 *     vibe-engine rollback …   # or takes back all that it did to files
 *
 * With a real one: vibe-engine exec --resume-with 'claude --continue' -- claude -p 'fix the tests'
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const SESSION = '.agent-session';
const going = process.argv.includes('--continue');
const done = new Set(going ? readFileSync(SESSION, 'utf8').split('\n') : []);

for (const name of readdirSync('.').filter((file) => file.endsWith('.txt') && !done.has(file))) {
  writeFileSync(name, readFileSync(name, 'utf8').toUpperCase());
  done.add(name);
  writeFileSync(SESSION, [...done].join('\n'));
  console.log(`${name} is done`);
  await sleep(Number(process.env.AGENT_THINKS_MS ?? 300)); // about the next one
}
