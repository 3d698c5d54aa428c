import type { Said } from './said.ts';

export const engineAttach: Said = {
  'The client of a session': ['工作階段的用戶端', '会话的客户端'],
  'The id of a session': ['工作階段的識別碼', '会话的标识'],
  'the turn has ended': ['這一輪已結束', '这一轮已结束'],
  'Task {0} was stopped: {1}': ['任務 {0} 已停止：{1!}', '任务 {0} 已停止：{1!}'],
  'Prompt the agent again to continue.': ['再次向代理提問即可繼續。', '再次向代理提问即可继续。'],
  'Task {0} was stopped before it began.': ['任務 {0} 在開始之前已停止。', '任务 {0} 在开始之前已停止。'],
  'Session {0} was closed.': ['工作階段 {0} 已關閉。', '会话 {0} 已关闭。'],
  'Attach it again.': ['請重新連接。', '请重新连接。'],
  'It was refused, and did not run.': ['它被拒絕，沒有執行。', '它被拒绝，没有运行。'],
  'The agent is at rest: {0}': ['代理閒置中：{0!}', '代理空闲中：{0!}'],
};
