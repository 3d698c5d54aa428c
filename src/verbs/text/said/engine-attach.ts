import type { Said } from './said.ts';

export const engineAttach: Said = {
  'it does not begin to serve': ['它沒有開始提供服務', '它没有开始提供服务'],
  'it ended with {0}': ['它以 {0} 結束', '它以 {0} 结束'],
  'Codex refused {0}: {1}': ['Codex 拒絕了 {0}：{1}', 'Codex 拒绝了 {0}：{1}'],
  'Run "codex app-server" yourself to see why, then try again.': [
    '請自行執行「codex app-server」查看原因，然後再試一次。',
    '请自行运行“codex app-server”查看原因，然后再试一次。',
  ],
  'Conversations of {0} cannot be continued from here.': [
    '無法從這裡接續 {0} 的對話。',
    '无法从这里接续 {0} 的对话。',
  ],
  'Start {0} itself, with its session {1}.': [
    '請直接啟動 {0}，並使用它的工作階段 {1}。',
    '请直接启动 {0}，并使用它的会话 {1}。',
  ],
  'The conversation of session {0} is not there: {1}': [
    '工作階段 {0} 的對話不存在：{1}',
    '会话 {0} 的对话不存在：{1}',
  ],
  '{0} may have removed it, or keeps it under another home directory. Start it again without --resume.': [
    '{0} 可能已將它移除，或存放在另一個家目錄。請不加 --resume 重新啟動。',
    '{0} 可能已将它移除，或存放在另一个主目录。请不加 --resume 重新启动。',
  ],
  'Session {0} has no place {1}.': ['工作階段 {0} 中沒有位置 {1}。', '会话 {0} 中没有位置 {1}。'],
  '{0} may not have written it before it ended. Continue the session as it is, or go back to an earlier checkpoint.':
    [
      '{0} 可能在寫入之前就已結束。請照原樣繼續該工作階段，或回到更早的檢查點。',
      '{0} 可能在写入之前就已结束。请照原样继续该会话，或回到更早的检查点。',
    ],
  '{0} could not cut session {1}: {2}': ['{0} 無法截斷工作階段 {1}：{2!}', '{0} 无法截断会话 {1}：{2!}'],
  'Check that {0} runs here and is up to date, then try again.': [
    '請確認 {0} 可在此執行且為最新版本，然後再試一次。',
    '请确认 {0} 可在此运行且为最新版本，然后再试一次。',
  ],
  'The client of a session': ['工作階段的用戶端', '会话的客户端'],
  'The id of a session': ['工作階段的識別碼', '会话的标识'],
  'the turn has ended': ['這一輪已結束', '这一轮已结束'],
  'Task {0} was stopped: {1}': ['任務 {0} 已停止：{1!}', '任务 {0} 已停止：{1!}'],
  'Prompt the agent again to continue.': ['再次向代理提問即可繼續。', '再次向代理提问即可继续。'],
  'Task {0} was stopped before it began.': ['任務 {0} 在開始之前已停止。', '任务 {0} 在开始之前已停止。'],
  'Session {0} was closed.': ['工作階段 {0} 已關閉。', '会话 {0} 已关闭。'],
  'Attach it again.': ['請重新連接。', '请重新连接。'],
  'It was refused, and did not run.': ['它被拒絕，沒有執行。', '它被拒绝，没有运行。'],
  'No result came: it was refused, or broken off.': [
    '沒有結果：它被拒絕，或已中斷。',
    '没有结果：它被拒绝，或已中断。',
  ],
  'The agent is idle: {0}': ['代理閒置中：{0!}', '代理空闲中：{0!}'],
};
