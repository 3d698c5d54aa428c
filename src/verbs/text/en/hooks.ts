export const hooks = {
  'hooks.install.summary':
    'install the plugin that records agents, in each agent that is found or in the one named',
  'hooks.status.summary': 'ask each agent whether the plugin is installed',
  'hooks.remove.summary': 'remove the plugin; the agent’s own files are then as they were before',
  'hooks.argument.client': 'the agent (default: all that are found)',
  'hooks.option.here': 'for this project only, where the agent has settings of a project',
  'hooks.option.project': 'the project directory, as elsewhere; without a directory, the same as --here',
  'hooks.option.strict':
    'refuse an agent’s calls while they cannot be recorded (default: they run unrecorded)',
  'hooks.option.trust': 'tell the agent that you trust the plugin’s hooks, where it asks for that',
  'hooks.state.absent': '{client}: not found on this machine.',
  'hooks.state.not_installed': '{client}: not installed.',
  'hooks.state.not_active': '{client}: installed, but not recording yet.',
  'hooks.state.active': '{client}: installed; its sessions are recorded.',
  'hooks.strict.on': 'Calls are refused while they cannot be recorded (--strict).',
  'hooks.strict.none': 'Calls that cannot be recorded run all the same (no --strict).',
  'hooks.strict.off':
    '{client} was installed with --strict; calls are no longer refused while they cannot be recorded. Install with --strict to keep it.',
  'hooks.none': 'No agent was found: none of claude, codex, gemini and opencode is on PATH.',
  'hooks.none_hint': 'Install one, or add its directory to PATH. Nothing was changed.',
  'hooks.new_sessions': 'Sessions that are already open are not recorded: start new ones.',
  'agents.usage': 'Usage: vibe-engine agent-host <{clients}> [--strict] [--socket]',
  'agents.not_recorded': 'Vibe Engine does not record this session: {why}',
  'agents.hung': 'Vibe Engine does not answer. What happens until it does is not recorded.',
} as const;
