import type { Said } from '../catalogue.ts';

export const recovery: Said = {
  'What it needs to go on is not there: {0}.': [
    '繼續所需的內容已不存在：{0}。',
    '继续所需的内容已不存在：{0}。',
  ],
  'Not a reference to a context: {0}.': ['這不是上下文的參照：{0}。', '这不是上下文的引用：{0}。'],
  'It is context://{task_id}/{entry}, as in accumulated_context of a task’s state.': [
    '格式是 context://{task_id}/{entry}，見任務狀態的 accumulated_context。',
    '格式是 context://{task_id}/{entry}，见任务状态的 accumulated_context。',
  ],
};
