/**
 * The hook of the recording: `node recorder.js CLIENT FILE` appends the event on its standard input to the file as it came, and
 * denies a shell command that has the word "deny-me" in it, in the client's own words.
 */
import { appendFileSync, readFileSync } from 'node:fs';

const [client, file] = process.argv.slice(2);
const text = readFileSync(0, 'utf8');
const event = JSON.parse(text);
appendFileSync(file, `${JSON.stringify(event)}\n`);

const name = event.hook_event_name;
const reason = 'The recording denies this.';
const asksFor = JSON.stringify(event.tool_input ?? {}).includes('deny-me');
if (asksFor && name === 'PreToolUse')
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: name,
        permissionDecision: 'deny',
        permissionDecisionReason: reason,
      },
    }),
  );
if (asksFor && client === 'gemini' && name === 'BeforeTool')
  console.log(JSON.stringify({ decision: 'deny', reason }));
