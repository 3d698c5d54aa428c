import type { Said } from './said.ts';

export const agents: Said = {
  '{0} wants to run {1}. Allow it?': ['{0} 想執行 {1}。要允許嗎？', '{0} 想运行 {1}。要允许吗？'],
  'There is no private directory for the files of a plugin.': [
    '沒有可放置外掛程式檔案的私人目錄。',
    '没有可放置插件文件的私有目录。',
  ],
  'The files of the plugin cannot be put into {0}: it must be writable, and closed to other users.': [
    '外掛程式的檔案無法放進 {0}：這個目錄必須可以寫入，而且其他使用者不能進入。',
    '插件的文件无法放进 {0}：该目录必须可以写入，而且其他用户不能进入。',
  ],
  'Set XDG_DATA_HOME to a directory of your own that nobody else may enter. Nothing was changed.': [
    '請將 XDG_DATA_HOME 設為只有你自己能進入的目錄。沒有變更任何內容。',
    '请将 XDG_DATA_HOME 设为只有你自己能进入的目录。没有更改任何内容。',
  ],
  '{0} was not found: there is no "{1}" on PATH.': [
    '找不到 {0}：PATH 上沒有「{1}」。',
    '找不到 {0}：PATH 上没有“{1}”。',
  ],
  'Install it with "npm install -g {0}", or add its directory to PATH. Nothing was changed.': [
    '請用「npm install -g {0}」安裝，或把它的目錄加入 PATH。沒有變更任何內容。',
    '请用“npm install -g {0}”安装，或把它的目录加入 PATH。没有更改任何内容。',
  ],
  '"{0}" failed: {1}': ['「{0}」失敗：{1}', '“{0}”失败：{1}'],
  'Run the command yourself to see why, then install again.': [
    '請自行執行該指令以查看原因，然後再安裝一次。',
    '请自行运行该命令以查看原因，然后再安装一次。',
  ],
  '{0} was changed since the install, so it stays as it is now.': [
    '{0} 在安裝之後被更改過，因此保持現狀。',
    '{0} 在安装之后被更改过，因此保持现状。',
  ],
  'The plugin starts a program that is not there any more: run "vibe-engine hooks install" again.': [
    '外掛程式要啟動的程式已不存在：請再執行一次「vibe-engine hooks install」。',
    '插件要启动的程序已不存在：请再运行一次“vibe-engine hooks install”。',
  ],
  '{0} has no plugins of a project: install it for all projects, without --here.': [
    '{0} 沒有專案專用的外掛程式：請為所有專案安裝，不要加 --here。',
    '{0} 没有项目专用的插件：请为所有项目安装，不要加 --here。',
  ],
  'Claude Code has it turned off: run "claude plugin enable {0}".': [
    'Claude Code 已將它停用：請執行「claude plugin enable {0}」。',
    'Claude Code 已将它停用：请运行“claude plugin enable {0}”。',
  ],
  'Codex has it turned off: set "enabled" to true in its table in config.toml.': [
    'Codex 已將它停用：請在 config.toml 中它的表格裡把「enabled」設為 true。',
    'Codex 已将它停用：请在 config.toml 中它的表里把“enabled”设为 true。',
  ],
  'Codex skips its hooks until you trust them: start codex and enter /hooks, or run "vibe-engine hooks install codex --trust".':
    [
      '在你信任它的掛鉤之前，Codex 會略過它們：請啟動 codex 並輸入 /hooks，或執行「vibe-engine hooks install codex --trust」。',
      '在你信任它的钩子之前，Codex 会跳过它们：请启动 codex 并输入 /hooks，或运行“vibe-engine hooks install codex --trust”。',
    ],
  'Codex refused {0}: {1}': ['Codex 拒絕了 {0}：{1}', 'Codex 拒绝了 {0}：{1}'],
  'Run "codex app-server" yourself to see why, then try again.': [
    '請自行執行「codex app-server」以查看原因，然後再試一次。',
    '请自行运行“codex app-server”以查看原因，然后再试一次。',
  ],
  'Gemini CLI has it turned off here: run "gemini extensions enable {0}".': [
    'Gemini CLI 在此處已將它停用：請執行「gemini extensions enable {0}」。',
    'Gemini CLI 在此处已将它停用：请运行“gemini extensions enable {0}”。',
  ],
};
