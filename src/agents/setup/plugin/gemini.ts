/** The extension as Gemini CLI reads it. Its hooks are programs, so a script reaches the host's socket. */
import { platform } from '../../../system/platform.ts';
import { manifest } from './claude.ts';
import { type Files, jsonText } from './files.ts';
import { commandLine, type Program, serverEntry } from './host.ts';
import { commandHook, SCRIPT, scriptText } from './script.ts';
import { geminiCommands } from './slash.ts';

/** In milliseconds. */
const LIMIT = 30_000;

/** The first prompt may come while the host is starting. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  SessionStart: [],
  BeforeAgent: ['--wait'],
  BeforeTool: [],
  AfterTool: [],
  AfterAgent: [],
  SessionEnd: [],
};

export function geminiExtension(program: Program, strict: boolean): Files {
  const { name, version, description } = manifest();
  const server = serverEntry(program, 'gemini', strict);
  return {
    'gemini-extension.json': jsonText({ name, version, description, mcpServers: { vibe: server } }),
    'hooks/hooks.json': jsonText({ hooks: hooksOf(program, strict) }),
    [SCRIPT]: scriptText(program),
    ...geminiCommands(program),
  };
}

function hooksOf(program: Program, strict: boolean): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(EVENTS).map(([event, flags]) => {
      const all = strict && event === 'BeforeTool' ? [...flags, '--strict'] : flags;
      const hook = { name: 'vibe', type: 'command', command: commandOf(program, all), timeout: LIMIT };
      return [event, [{ matcher: '*', hooks: [hook] }]];
    }),
  );
}

/** Windows has no `sh`: there the host's program is started for each hook. */
function commandOf(program: Program, flags: readonly string[]): string {
  if (platform.windows) return [commandLine(program), 'agent-host', 'gemini', '--hook', ...flags].join(' ');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Gemini fills it in.
  return commandHook('"${extensionPath}/hook.sh"', 'gemini', flags);
}
