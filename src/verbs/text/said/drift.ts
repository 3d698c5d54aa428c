import type { Said } from './said.ts';

export const drift: Said = {
  '⚠️ {0} was rewritten by a force push: 1 commit is no longer in it, and work may be lost.': [
    '⚠️ {0} 已被強制推送改寫：有 1 個提交已不在其中，工作成果可能遺失。',
    '⚠️ {0} 已被强制推送改写：有 1 个提交已不在其中，工作成果可能丢失。',
  ],
  '⚠️ {0} was rewritten by a force push: {1} commits are no longer in it, and work may be lost.': [
    '⚠️ {0} 已被強制推送改寫：有 {1} 個提交已不在其中，工作成果可能遺失。',
    '⚠️ {0} 已被强制推送改写：有 {1} 个提交已不在其中，工作成果可能丢失。',
  ],
  'gone: {0}': ['已消失：{0}', '已消失：{0}'],
  'They are still available here as {0}: {1}.': [
    '這些提交仍可在此以 {0} 取得：{1}。',
    '这些提交仍可在此以 {0} 取得：{1}。',
  ],
  '1. Undo the task’s changes to files: {0}': [
    '1. 還原任務對檔案的變更：{0}',
    '1. 还原任务对文件的更改：{0}',
  ],
  '2. Check what is gone, and sync the branch manually: {0}': [
    '2. 檢查消失的提交，並手動同步分支：{0}',
    '2. 检查消失的提交，并手动同步分支：{0}',
  ],
  '1. Check what is gone.': ['1. 檢查消失的提交。', '1. 检查消失的提交。'],
  '2. Sync the branch manually: {0}': ['2. 手動同步分支：{0}', '2. 手动同步分支：{0}'],
  'Check what is gone, and sync the branch manually: {0}': [
    '請檢查消失的提交，並手動同步分支：{0}',
    '请检查消失的提交，并手动同步分支：{0}',
  ],
  '3. Resume the task: {0}': ['3. 繼續任務：{0}', '3. 继续任务：{0}'],
  'Recommended: restart, by the steps above.': [
    '建議：重新開始，依上述步驟進行。',
    '建议：重新开始，按上述步骤进行。',
  ],
  'Recommended: merge_and_continue, by the steps above.': [
    '建議：合併並繼續，依上述步驟進行。',
    '建议：合并并继续，按上述步骤进行。',
  ],
  'Nothing was changed. To sync the branch first: {0}': [
    '什麼都沒有改變。要先同步分支：{0}',
    '什么都没有改变。要先同步分支：{0}',
  ],
  '{0} was rewritten by a force push. The branch already follows it.': [
    '{0} 被強制推送改寫。分支已經跟上。',
    '{0} 被强制推送改写。分支已经跟上。',
  ],
  '3. Start the task again: {0}': ['3. 重新開始任務：{0}', '3. 重新开始任务：{0}'],
  'That is what the settings prefer ({0} % of the task is done, severity {1}).': [
    '設定偏好如此（任務已完成 {0} %，嚴重程度 {1!}）。',
    '设置偏好如此（任务已完成 {0} %，严重程度 {1!}）。',
  ],
  'upstream was rewritten': ['上游已被改寫', '上游已被改写'],
  'severity is {0}': ['嚴重程度為 {0!}', '严重程度为 {0!}'],
  'Only {0} % of the task is done, below {1} %, and {2}: little is lost by starting again on top of upstream.':
    [
      '任務只完成 {0} %，低於 {1} %，且{2!}：以上游目前的內容重新開始，損失不大。',
      '任务只完成 {0} %，低于 {1} %，且{2!}：以上游当前的内容重新开始，损失不大。',
    ],
  '{0} % of the task is done, which is worth keeping: {1}, so resolve it first, then continue.': [
    '任務已完成 {0} %，值得保留：{1!}，請先解決，再繼續。',
    '任务已完成 {0} %，值得保留：{1!}，请先解决，再继续。',
  ],
  'Severity is {0}: the upstream changes can be merged in ({1} % of the task is done).': [
    '嚴重程度為 {0!}：上游帶來的變更可以合併（任務已完成 {1} %）。',
    '严重程度为 {0!}：上游带来的更改可以合并（任务已完成 {1} %）。',
  ],
  'Upstream has new commits since task "{0}" stopped.': [
    '任務「{0}」停著的時候，上游有了變動。',
    '任务“{0}”停着的时候，上游有了变动。',
  ],
  'Nothing was changed. Say what to do with --on-upstream: {0}.': [
    '什麼都沒有改變。請用 --on-upstream 說明要怎麼做：{0}。',
    '什么都没有改变。请用 --on-upstream 说明要怎么做：{0}。',
  ],
  'Continue there?': ['要在那裡繼續嗎？', '要在那里继续吗？'],
  'A different branch is checked out from the one task "{0}" was on.': [
    '目前簽出的分支不是任務「{0}」原本所在的分支。',
    '当前检出的分支不是任务“{0}”原本所在的分支。',
  ],
  'Nothing was changed. Switch back, or continue there with --on-environment continue.': [
    '什麼都沒有改變。請切換回去，或加上 --on-environment continue 在此繼續。',
    '什么都没有改变。请切换回去，或加上 --on-environment continue 在此继续。',
  ],
  'Recommended: restart ({0}).': ['建議：重新開始（{0}）。', '建议：重新开始（{0}）。'],
  'Recommended: merge_and_continue ({0}).': ['建議：合併並繼續（{0}）。', '建议：合并并继续（{0}）。'],
  'Task "{0}" was not resumed.': ['任務「{0}」沒有繼續執行。', '任务“{0}”没有继续执行。'],
  'Recommended: merge manually, then continue: {0}; {1}.': [
    '建議：先手動合併，再繼續：{0}；{1}。',
    '建议：先手动合并，再继续：{0}；{1}。',
  ],
  'Nothing was changed. Bring the branch up to date ({0}) and resume the task, or start it again on top of upstream: {1}':
    [
      '什麼都沒有改變。請更新分支（{0}）後繼續任務，或在上游現有的內容上重新開始：{1}',
      '什么都没有改变。请更新分支（{0}）后继续任务，或在上游现有的内容上重新开始：{1}',
    ],
  'Start it again: {0}': ['重新開始：{0}', '重新开始：{0}'],
  'A task cannot commit inside a step ({0}).': [
    '任務不能在步驟（{0}）之中提交。',
    '任务不能在步骤（{0}）之中提交。',
  ],
  'Commit between steps.': ['請在步驟之間提交。', '请在步骤之间提交。'],
  'A commit needs a message.': ['提交需要訊息。', '提交需要说明。'],
  'Say in a sentence what the task has done.': [
    '請用一句話說明任務做了什麼。',
    '请用一句话说明任务做了什么。',
  ],
  'Could not find out which upstream commits task "{0}" lacks: {1}': [
    '無法得知上游有哪些任務「{0}」沒有的內容：{1!}',
    '无法得知上游有哪些任务“{0}”没有的内容：{1!}',
  ],
  'Files are not captured here.': ['這裡不處理檔案。', '这里不处理文件。'],
  'Open the engine with a workspace, or run the task with vibe-engine run.': [
    '請以 workspace 開啟引擎，或用 vibe-engine run 執行任務。',
    '请以 workspace 打开引擎，或用 vibe-engine run 运行任务。',
  ],
  'Task "{0}" is done.': ['任務「{0}」已完成。', '任务“{0}”已完成。'],
  'Rebase it now: {0}': ['現在變基：{0}', '现在变基：{0}'],
  'A rebase was interrupted, and could be neither finished nor undone: {0}': [
    '有一次變基中斷，且無法收尾：{0!}',
    '有一次变基中断，且无法收尾：{0!}',
  ],
  'A rebase for task {0} was interrupted, and has been undone.': [
    '任務 {0} 的變基曾中斷，現已還原。',
    '任务 {0} 的变基曾中断，现已还原。',
  ],
  'A rebase for task {0} was interrupted, and has been finished.': [
    '任務 {0} 的變基曾中斷，現已完成。',
    '任务 {0} 的变基曾中断，现已完成。',
  ],
  'Could not check upstream for new commits: {0} ({1}).': [
    '無法得知上游是否有變動：{0!}（{1!}）。',
    '无法得知上游是否有变动：{0!}（{1!}）。',
  ],
  offline: ['離線', '离线'],
  'no credentials': ['沒有登入憑證', '没有登录凭据'],
  'timed out': ['逾時', '超时'],
  'branch gone': ['分支已不存在', '分支已不存在'],
  'fetch failed': ['擷取失敗', '获取失败'],
  'no upstream': ['沒有上游', '没有上游'],
  'no repository': ['沒有儲存庫', '没有仓库'],
  'git refuses': ['git 拒絕', 'git 拒绝'],
  'history unknown': ['歷史不明', '历史不明'],
  'not fetched': ['未擷取', '未获取'],
  'This partial clone lacks contents that are needed here; they are not fetched automatically. To fetch them: {0}':
    [
      '這個部分複製缺少這裡所需的內容；這些內容不會自動擷取。若要取得：{0}',
      '这个部分克隆缺少这里所需的内容；这些内容不会自动获取。若要取得：{0}',
    ],
  'Run {0}. Nothing was changed.': ['請執行 {0}。沒有變更任何內容。', '请运行 {0}。没有更改任何内容。'],
  'no commit': ['沒有提交', '没有提交'],
  'a detached HEAD': ['分離的 HEAD', '分离的 HEAD'],
  'The branch was switched from {0} to {1}.': ['分支已由 {0!} 切換為 {1!}。', '分支已由 {0!} 切换为 {1!}。'],
  'The branch has moved on from {0} to {1}.': ['分支已由 {0!} 前進到 {1!}。', '分支已由 {0!} 前进到 {1!}。'],
  'The branch was reset from {0} to {1}.': ['分支已由 {0!} 重設為 {1!}。', '分支已由 {0!} 重置为 {1!}。'],
  'Uncommitted, and not by the task: {0}.': ['未提交且不屬於任務：{0!}。', '未提交且不属于任务：{0!}。'],
  '{0} has 1 new commit.': ['{0} 有 1 個新提交。', '{0} 有 1 个新提交。'],
  '{0} has {1} new commits.': ['{0} 有 {1} 個新提交。', '{0} 有 {1} 个新提交。'],
  'The severity is not known (taken as medium).': [
    '無法得知嚴重程度（視為 medium）。',
    '无法得知严重程度（视为 medium）。',
  ],
  'In common: {0}.': ['雙方都改過：{0!}。', '双方都改过：{0!}。'],
  'It was rebased onto {0}; the previous state is in {1}.': [
    '已變基到 {0}；先前的狀態保存在 {1}。',
    '已变基到 {0}；先前的状态保存在 {1}。',
  ],
  'No file of the task is affected.': ['與任務無關。', '与任务无关。'],
  'No file in common with the task (severity low).': [
    '與任務沒有共同的檔案（嚴重程度：低）。',
    '与任务没有共同的文件（严重程度：低）。',
  ],
  'Files in common, no conflict (severity medium).': [
    '有共同的檔案，但沒有衝突（嚴重程度：中）。',
    '有共同的文件，但没有冲突（严重程度：中）。',
  ],
  'A conflict (severity high).': ['有衝突（嚴重程度：高）。', '有冲突（严重程度：高）。'],
  'Continue, and rebase when finished.': ['請繼續，完成後再變基。', '请继续，完成后再变基。'],
  'Rebase soon.': ['請盡快變基。', '请尽快变基。'],
  'Resolve it first.': ['請先解決衝突。', '请先解决冲突。'],
  'The commit was made, but another git process kept the index locked, so the index still has the old versions staged: {0}.':
    [
      '提交已完成，但另一個 git 程序鎖住了索引，其中暫存的仍是舊版本：{0}。',
      '提交已完成，但另一个 git 进程锁住了索引，其中暂存的仍是旧版本：{0}。',
    ],
  'When it has ended, run git reset for these files: committing the index as it is would revert the commit.':
    [
      '待它結束後，請對這些檔案執行 git reset：若直接提交索引，會把這次提交還原掉。',
      '待它结束后，请对这些文件运行 git reset：若直接提交索引，会把这次提交还原掉。',
    ],
  'Nothing was committed: {0} is in no git repository.': [
    '沒有提交：{0} 不在 git 儲存庫中。',
    '没有提交：{0} 不在 git 仓库中。',
  ],
  'Run git init there, or let the task commit nothing.': [
    '請在那裡執行 git init，或讓任務不要提交。',
    '请在那里运行 git init，或让任务不要提交。',
  ],
  'A rebase for task {0} was interrupted, and its record cannot be read.': [
    '任務 {0} 的變基曾中斷，且無法讀取它原本要做什麼。',
    '任务 {0} 的变基曾中断，且无法读取它原本要做什么。',
  ],
  'Look at the repository, then remove the record tasks/{0} from the store.': [
    '請檢查儲存庫，然後從儲存區移除記錄 tasks/{0}。',
    '请检查仓库，然后从存储中移除记录 tasks/{0}。',
  ],
  "The record of the task's place in git was damaged: it starts again from where the repository is now. What upstream brought before is not reported.":
    [
      '任務在 git 中位置的記錄已損壞：從儲存庫目前的位置重新記錄。之前上游帶來的變更不會回報。',
      '任务在 git 中位置的记录已损坏：从仓库当前的位置重新记录。之前上游带来的变更不会报告。',
    ],
  "The record of task {0}'s place in git is damaged.": [
    '任務 {0} 在 git 中的位置記錄不完整。',
    '任务 {0} 在 git 中的位置记录不完整。',
  ],
  'Remove the record tasks/{0} from the store: it is written again when the task is resumed.': [
    '請從儲存區移除記錄 tasks/{0}：任務繼續時會重新建立。',
    '请从存储中移除记录 tasks/{0}：任务继续时会重新创建。',
  ],
  'the branch was switched': ['分支已被切換', '分支已被切换'],
  'upstream moved (severity {0})': ['上游有變動（嚴重程度 {0!}）', '上游有变动（严重程度 {0!}）'],
  'Resolve it, then resume the task.': ['請先解決，再繼續任務。', '请先解决，再继续任务。'],
  'The task was not started again. {0}': ['任務沒有重新開始。{0!}', '任务没有重新开始。{0!}'],
  'Nothing was changed. To start it again on top of upstream: {0}. To start it again on what is here: {1}.': [
    '一切維持原狀。要在上游現有的內容上重新開始：{0}。要在這裡現有的內容上重新開始：{1}。',
    '一切保持原状。要在上游现有的内容上重新开始：{0}。要在这里现有的内容上重新开始：{1}。',
  ],
  'Nothing was changed. To start it again and leave its files as they are: {0}': [
    '什麼都沒有改變。要重新開始並讓檔案維持不變：{0}',
    '什么都没有改变。要重新开始并让文件保持不变：{0}',
  ],
  'The old task’s changes to files were undone: {0}.': [
    '已還原舊任務對檔案的變更：{0}。',
    '已还原旧任务对文件的更改：{0}。',
  ],
  'started again': ['已重新開始', '已重新开始'],
  'Task "{0}" was started again as {1}.': [
    '任務「{0}」已重新開始，新任務是 {1}。',
    '任务“{0}”已重新开始，新任务是 {1}。',
  ],
  'Task "{0}" was started again as {1}; the old one is cancelled.': [
    '任務「{0}」已重新開始，新任務是 {1}；舊任務已取消。',
    '任务“{0}”已重新开始，新任务是 {1}；旧任务已取消。',
  ],
  'this shallow clone lacks the common ancestor': [
    '這個淺層複製缺少雙方的共同起點',
    '这个浅克隆缺少双方的共同起点',
  ],
  'whether {0} comes after {1} is not known here': [
    '此處無法判斷 {0} 是否在 {1} 之後',
    '此处无法判断 {0} 是否在 {1} 之后',
  ],
  'the repository has no remote': ['儲存庫沒有遠端', '仓库没有远程'],
  'there are several remotes ({0}), and the branch follows none of them': [
    '有多個遠端（{0}），而分支不追蹤其中任何一個',
    '有多个远程（{0}），而分支不跟踪其中任何一个',
  ],
  'the branch has no upstream, and the default branch of {0} is not known': [
    '分支沒有上游，也不知道 {0} 的預設分支',
    '分支没有上游，也不知道 {0} 的默认分支',
  ],
  'there is no remote for {0}': ['{0} 沒有對應的遠端', '{0} 没有对应的远程'],
  'a {0} is in progress': ['{0} 正在進行', '{0} 正在进行'],
  'the index is locked; another git process is running, or one that died has left the lock': [
    '索引已鎖定；另一個 git 程序正在執行，或有已結束的程序留下了鎖',
    '索引已锁定；另一个 git 进程正在运行，或有已结束的进程留下了锁',
  ],
  'Wait for that process to end; if there is none, remove {0}.': [
    '請等該程序結束；若沒有這樣的程序，請移除 {0}。',
    '请等该进程结束；若没有这样的进程，请删除 {0}。',
  ],
  'Fix what git or the hook reports, then try again.': [
    '請修正 git 或掛鉤指出的問題，然後再試一次。',
    '请修正 git 或钩子指出的问题，然后再试一次。',
  ],
  'Nothing was committed: {0}.': ['沒有提交：{0!}。', '没有提交：{0!}。'],
  'The index is as it was.': ['索引維持原狀。', '索引保持原样。'],
  'git took too long': ['git 耗時過久', 'git 耗时过久'],
  'git failed': ['git 失敗', 'git 失败'],
  'The merge cannot be tried: {0}.': ['無法試行合併：{0!}。', '无法试行合并：{0!}。'],
  'Git 2.38 or newer is needed. Nothing was changed.': [
    '需要 git 2.38 或更新的版本。什麼都沒有改變。',
    '需要 git 2.38 或更新的版本。什么都没有改变。',
  ],
  'git {0} failed: {1}.': ['git {0} 失敗：{1!}。', 'git {0} 失败：{1!}。'],
  'See what git says in the repository itself. Nothing was changed.': [
    '請在儲存庫中查看 git 的訊息。什麼都沒有改變。',
    '请在仓库中查看 git 的消息。什么都没有改变。',
  ],
  'the result differs from the one that was checked': ['結果與預期不同', '结果与预期不同'],
};
