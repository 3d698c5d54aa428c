/** The slash commands, in the form of each client. What they ask of the model is the same everywhere. */
import type { Files } from './files.ts';
import { commandLine, type Program } from './host.ts';

interface Slash {
  readonly name: string;
  readonly about: string;
  readonly hint?: string;
  /** What the model is asked. `given` stands for what the person typed after the command. */
  readonly prompt: (by: Means, given: string) => string;
}

interface Means {
  /** Our command line. */
  readonly cli: string;
  /** What one of our tools is called. */
  readonly tool: (name: string) => string;
}

const SLASHES: readonly Slash[] = [
  {
    name: 'tasks',
    about: 'List the recorded tasks of this project',
    prompt: ({ cli }, given) =>
      `Run \`${cli} tasks\` in the shell and show its output as it is. Do nothing else. Its further arguments, if I give some here: ${given}`,
  },
  {
    name: 'rewind',
    about: 'Take files and conversation back to an earlier point of this session',
    hint: '[checkpoint or prompt]',
    prompt: ({ tool }, given) =>
      `Take this session back to an earlier point. What I want: ${given}\nIf that does not name a checkpoint, call the tool ${tool('checkpoints')} and ask me which one. Show me with ${tool('diff')} what would change, ask me, and only then call ${tool('rewind')}. Show its answer as it is, which says how I continue from there. Change no files yourself, and call nothing after it.`,
  },
  {
    name: 'redo',
    about: 'Take back the last rewind',
    prompt: ({ tool }) =>
      `Take back the last rewind of this session: call the tool ${tool('redo')} with \`confirmed\` set to true, since I have asked for it. Show its answer as it is. Change no files yourself, and call nothing after it.`,
  },
  {
    name: 'diff',
    about: 'Show what this session changed since an earlier point',
    hint: '[checkpoint]',
    prompt: ({ tool }, given) =>
      `Call the tool ${tool('diff')} and show its answer as it is. Since when, if I say so here: ${given}`,
  },
  {
    name: 'who',
    about: 'Show which session is changing which files',
    hint: '[file]',
    prompt: ({ tool }, given) =>
      `Call the tool ${tool('who_has')} and show its answer as it is. Which file, if I say so here: ${given}`,
  },
];

const byServer = (name: string): string => `\`${name}\` of the MCP server "vibe"`;

/** `/vibe:tasks` in Claude Code. */
export function claudeCommands(program: Program): Files {
  return each(program, '$ARGUMENTS', ({ name, about, hint }, prompt) => [
    `commands/${name}.md`,
    front({ description: about, ...(hint === undefined ? {} : { 'argument-hint': hint }) }, prompt),
  ]);
}

/** Codex has no commands in plugins; a skill is called by name, `$vibe:tasks`. */
export function codexSkills(program: Program): Files {
  return each(
    program,
    'what I wrote beside the name of this skill, if anything.',
    ({ name, about }, prompt) => [
      `codex-skills/${name}/SKILL.md`,
      front({ name, description: `${about}. Only when the user asks for it by name.` }, prompt),
    ],
  );
}

/** `/vibe:tasks` in Gemini. */
export function geminiCommands(program: Program): Files {
  return each(program, '{{args}}', ({ name, about }, prompt) => [
    `commands/vibe/${name}.toml`,
    `description = ${JSON.stringify(about)}\nprompt = ${JSON.stringify(prompt)}\n`,
  ]);
}

/** `/vibe/tasks` in opencode, where the tools are those of the plugin. */
export function opencodeCommands(program: Program): Files {
  const file = ({ name, about }: Slash, prompt: string): readonly [string, string] => [
    `command/vibe/${name}.md`,
    front({ description: about }, prompt),
  ];
  return each(program, '$ARGUMENTS', file, (name) => `\`${OWN_TOOL}${name}\``);
}

/** How the names of our tools begin where they have no server. */
const OWN_TOOL = 'vibe_';

function each(
  program: Program,
  given: string,
  file: (slash: Slash, prompt: string) => readonly [path: string, text: string],
  tool: Means['tool'] = byServer,
): Files {
  const by = { cli: commandLine(program), tool };
  return Object.fromEntries(SLASHES.map((slash) => file(slash, slash.prompt(by, given).trim())));
}

/** Values in quotes: YAML would read a list in `[file]`. */
function front(members: Readonly<Record<string, string>>, text: string): string {
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---', '', text, ''].join('\n');
}
