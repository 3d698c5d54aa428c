/** The slash commands, in the form of each client. What they ask of the model is the same everywhere. */
import type { Files } from './files.ts';
import { commandLine, type Program } from './host.ts';

interface Slash {
  readonly name: string;
  readonly about: string;
  readonly hint?: string;
  /** What the model is asked. `given` stands for what the person typed after the command. */
  readonly prompt: (cli: string, given: string) => string;
  /** The same where the model does not have our tools. */
  readonly byShell?: (cli: string, given: string) => string;
}

const show = (line: string) => `Run \`${line}\` in the shell and show its output as it is. Do nothing else.`;

const SLASHES: readonly Slash[] = [
  {
    name: 'tasks',
    about: 'List the recorded tasks of this project',
    prompt: (cli, given) => show(`${cli} tasks ${given}`),
  },
  {
    name: 'rewind',
    about: 'Take files and conversation back to an earlier point of this session',
    hint: '[checkpoint or prompt]',
    prompt: (_, given) =>
      `Take this session back to an earlier point with the tools of the MCP server "vibe". What I want: ${given}\nIf that does not name a checkpoint, call \`checkpoints\` and ask me which one. Show me with \`diff\` what would change, ask me, and only then call \`rewind\`. Change no files yourself.`,
    byShell: (cli, given) =>
      `Take this session back to an earlier point with the command \`${cli} rewind\`, whose \`--help\` says how. What I want: ${given}\nIf that does not name a checkpoint, run \`${cli} checkpoints\` and ask me which one. Ask me before you run it. Change no files yourself.`,
  },
  {
    name: 'redo',
    about: 'Take back the last rewind',
    prompt: (cli, given) => show(`${cli} redo ${given}`),
  },
  {
    name: 'diff',
    about: 'Show what this session changed since an earlier point',
    hint: '[checkpoint]',
    prompt: (_, given) =>
      `Call the tool \`diff\` of the MCP server "vibe" and show its answer as it is. Since when, if I say so here: ${given}`,
    byShell: (cli, given) =>
      `Show what this session changed with the command \`${cli} checkpoints diff\`, whose \`--help\` says how. Since when, if I say so here: ${given}`,
  },
  {
    name: 'who',
    about: 'Show which session is changing which files',
    hint: '[file]',
    prompt: (_, given) =>
      `Call the tool \`who_has\` of the MCP server "vibe" and show its answer as it is. Which file, if I say so here: ${given}`,
    byShell: (cli) => show(`${cli} locks`),
  },
];

/** `/vibe:tasks` in Claude Code. */
export function claudeCommands(program: Program): Files {
  return each(program, '$ARGUMENTS', ({ name, about, hint }, prompt) => [
    `commands/${name}.md`,
    front({ description: about, ...(hint === undefined ? {} : { 'argument-hint': hint }) }, prompt),
  ]);
}

/** Codex has no commands in plugins; a skill is called by name, `$vibe:tasks`. */
export function codexSkills(program: Program): Files {
  return each(program, 'what I wrote beside the name of this skill.', ({ name, about }, prompt) => [
    `codex-skills/${name}/SKILL.md`,
    front({ name, description: `${about}. Only when the user asks for it by name.` }, prompt),
  ]);
}

/** `/vibe:tasks` in Gemini. */
export function geminiCommands(program: Program): Files {
  return each(program, '{{args}}', ({ name, about }, prompt) => [
    `commands/vibe/${name}.toml`,
    `description = ${JSON.stringify(about)}\nprompt = ${JSON.stringify(prompt)}\n`,
  ]);
}

/** `/vibe/tasks` in opencode, whose plugin has the host to itself. */
export function opencodeCommands(program: Program): Files {
  const cli = commandLine(program);
  return Object.fromEntries(
    SLASHES.map(({ name, about, prompt, byShell = prompt }) => [
      `command/vibe/${name}.md`,
      front({ description: about }, byShell(cli, '$ARGUMENTS')),
    ]),
  );
}

function each(
  program: Program,
  given: string,
  file: (slash: Slash, prompt: string) => readonly [path: string, text: string],
): Files {
  const cli = commandLine(program);
  return Object.fromEntries(SLASHES.map((slash) => file(slash, slash.prompt(cli, given).trim())));
}

/** Values in quotes: YAML would read a list in `[file]`. */
function front(members: Readonly<Record<string, string>>, text: string): string {
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', '', text, ''].join('\n');
}
