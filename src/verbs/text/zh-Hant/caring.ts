import type { caring as en } from '../en/caring.ts';

export const caring: Record<keyof typeof en, string> = {
  'clean.summary': '移除政策指定的檢查點，並釋放不再需要的空間',
  'clean.argument.tasks': '只清理這些任務的檢查點',
  'clean.option.older_than': '早於這麼多天的檢查點',
  'clean.option.keep': '每個任務只保留最新的幾個',
  'clean.option.completed': '已完成任務的所有檢查點',
  'clean.would': '會移除 {count} 個檢查點，立即釋放 {freed}，寬限期後約再釋放 {pending}',
  'clean.goes': '{id}：{why}',
  'clean.more': '以及其他 {count} 個',
  'clean.forgotten': '{count} 次退回將無法再復原',
  'clean.spared': '政策指定的有 {count} 個仍會保留，因為還有用處',
  'clean.skipped': '{task} 不處理：{why}',
  'clean.nothing': '沒有需要清理的東西。',
  'clean.ask': '要移除嗎？',
  'clean.done': '已移除 {count} 個檢查點，釋放 {freed}；寬限期後約再釋放 {pending}。',
};
