import type { Said } from '../catalogue.ts';

export const workspaceResolve: Said = {
  '{0}; and, not committed: {1}': ['{0!}；以及尚未提交的：{1!}', '{0!}；以及尚未提交的：{1!}'],
  'adds {0} lines and removes {1}': ['增加 {0} 行，刪除 {1} 行', '增加 {0} 行，删除 {1} 行'],
};
