import type { hooks as en } from '../en/hooks.ts';

export const hooks: Record<keyof typeof en, string> = {
  'hooks.install.summary': '安装记录代理的插件：在每个找到的代理中，或只在指定的代理中',
  'hooks.status.summary': '显示插件安装在哪些代理中，以代理自己的报告为准',
  'hooks.remove.summary': '移除插件；代理自己的文件会恢复到安装前的样子',
  'hooks.argument.client': '代理（默认：所有找到的代理）',
  'hooks.option.here': '只用于这个项目（如果该代理有项目设置）',
  'hooks.option.project': '项目目录，与其他命令相同；不写目录时等同 --here',
  'hooks.option.strict': '无法记录时拒绝代理的调用（默认：照常运行，不记录）',
  'hooks.option.trust': '在代理要求时，告诉它你信任插件的钩子',
  'hooks.state.absent': '{client}：这台机器上找不到。',
  'hooks.state.not_installed': '{client}：未安装。',
  'hooks.state.not_active': '{client}：已安装，但尚未开始记录。',
  'hooks.state.active': '{client}：已安装；它的会话会被记录。',
  'hooks.strict.on': '无法记录时会拒绝调用（--strict）。',
  'hooks.strict.none': '无法记录的调用照常执行（未使用 --strict）。',
  'hooks.strict.off':
    '{client} 先前以 --strict 安装；现在无法记录时不再拒绝调用。若要保留，请以 --strict 安装。',
  'hooks.none': '找不到任何代理：PATH 上没有 claude、codex、gemini 或 opencode。',
  'hooks.none_hint': '请安装其中一个，或把它的目录加入 PATH。没有更改任何内容。',
  'hooks.new_sessions': '已经打开的会话不会被记录：请打开新的会话。',
  'agents.usage': '用法：vibe-engine agent-host <{clients}> [--strict] [--socket]',
  'agents.not_recorded': 'Vibe Engine 没有记录这个会话：{why}',
  'agents.hung': 'Vibe Engine 没有响应。在它响应之前，发生的事不会被记录。',
};
