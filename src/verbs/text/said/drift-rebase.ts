import type { Said } from './said.ts';

export const driftRebase: Said = {
  'Everything is as it was.': ['一切維持原狀。', '一切保持原样。'],
  'In the way: {0}.': ['有衝突的檔案：{0!}。', '有冲突的文件：{0!}。'],
  'Git says: {0}': ['git 的訊息：{0!}', 'git 的消息：{0!}'],
  'Their last output: {0}': ['測試最後的輸出：{0}', '测试最后的输出：{0}'],
  'Rebase manually: git pull --rebase --autostash. If it stops at a conflict, resolve it in the files, git add them, and git rebase --continue.':
    [
      '請手動變基：git pull --rebase --autostash。若因衝突停下，請在檔案中解決，對它們執行 git add，再執行 git rebase --continue。',
      '请手动变基：git pull --rebase --autostash。若因冲突停下，请在文件中解决，对它们运行 git add，再运行 git rebase --continue。',
    ],
  'Rebase manually, and keep the merges: git pull --rebase=merges --autostash': [
    '請手動變基並保留合併：git pull --rebase=merges --autostash',
    '请手动变基并保留合并：git pull --rebase=merges --autostash',
  ],
  'Rebase manually: git pull --rebase --autostash. Resolve the conflict in the files, git add them, then remove the stash that is left over: git stash drop':
    [
      '請手動變基：git pull --rebase --autostash。請在檔案中解決衝突，對它們執行 git add，再移除留下的 stash：git stash drop',
      '请手动变基：git pull --rebase --autostash。请在文件中解决冲突，对它们运行 git add，再移除留下的 stash：git stash drop',
    ],
  'Check what is gone, and sync the branch manually: git pull --rebase --autostash': [
    '請檢查消失的提交，並手動同步分支：git pull --rebase --autostash',
    '请检查消失的提交，并手动同步分支：git pull --rebase --autostash',
  ],
  'Not rebased: nothing permits it.': ['未變基：沒有人允許。', '未变基：没有人允许。'],
  'Answer "rebase" when asked, give --on-upstream rebase, or set drift.auto_rebase.': [
    '請在詢問時回答「rebase」、加上 --on-upstream rebase，或設定 drift.auto_rebase。',
    '请在询问时回答“rebase”、加上 --on-upstream rebase，或设置 drift.auto_rebase。',
  ],
  'Not rebased: there are no tests to run on the result.': [
    '未變基：沒有可用來檢驗結果的測試。',
    '未变基：没有可用来检验结果的测试。',
  ],
  'Set drift.test_command to the command that runs them.': [
    '請將 drift.test_command 設為執行測試的指令。',
    '请将 drift.test_command 设为运行测试的命令。',
  ],
  'Not rebased: no git repository is known for this task.': [
    '未變基：這個任務沒有已知的 git 儲存庫。',
    '未变基：这个任务没有已知的 git 仓库。',
  ],
  'Only a task that was started in a git repository has a branch to rebase.': [
    '只有在 git 儲存庫中啟動的任務才有可以變基的分支。',
    '只有在 git 仓库中启动的任务才有可以变基的分支。',
  ],
  'Not rebased: nothing is known of upstream.': ['未變基：不知道上游是什麼。', '未变基：不知道上游是什么。'],
  'Give the branch an upstream: git branch --set-upstream-to.': [
    '請為分支設定上游：git branch --set-upstream-to。',
    '请为分支设置上游：git branch --set-upstream-to。',
  ],
  'Not rebased: upstream has nothing new.': ['未變基：上游沒有新的提交。', '未变基：上游没有新的提交。'],
  'There is nothing to do.': ['不需要做任何事。', '不需要做任何事。'],
  'Not rebased: the repository has no commits yet.': [
    '未變基：儲存庫還沒有提交。',
    '未变基：仓库还没有提交。',
  ],
  'Commit first.': ['請先提交。', '请先提交。'],
  'Not rebased: no branch is checked out.': [
    '未變基：目前沒有簽出任何分支。',
    '未变基：当前没有检出任何分支。',
  ],
  'Check out a branch.': ['請簽出一個分支。', '请检出一个分支。'],
  'Not rebased: a merge, rebase or the like is in progress.': [
    '未變基：合併、變基或類似的操作正在進行。',
    '未变基：合并、变基或类似的操作正在进行。',
  ],
  'Finish it or abort it.': ['請完成它或中止它。', '请完成它或中止它。'],
  "Not rebased: upstream's history was rewritten.": [
    '未變基：上游的歷史已被改寫。',
    '未变基：上游的历史已被改写。',
  ],
  'Not rebased: there is an unresolved conflict in the worktree.': [
    '未變基：工作目錄中有尚未解決的衝突。',
    '未变基：工作目录中有尚未解决的冲突。',
  ],
  'Resolve it.': ['請先解決它。', '请先解决它。'],
  'Not rebased: files are marked to be added later (git add -N).': [
    '未變基：有檔案標記為稍後加入（git add -N）。',
    '未变基：有文件标记为稍后添加（git add -N）。',
  ],
  'Add them, or remove the mark with git reset.': [
    '請加入它們，或用 git reset 取消標記。',
    '请添加它们，或用 git reset 取消标记。',
  ],
  'Not rebased: other tasks are working in the worktree.': [
    '未變基：其他任務正在這個工作目錄中執行。',
    '未变基：其他任务正在这个工作目录中运行。',
  ],
  'Wait for them, or pause them.': ['請等它們結束，或先暫停它們。', '请等它们结束，或先暂停它们。'],
  'Not rebased: there are merges among the commits to be moved.': [
    '未變基：要移動的提交中有合併提交。',
    '未变基：要移动的提交中有合并提交。',
  ],
  'Not rebased: there are signed commits among those to be moved, and their signatures would be lost.': [
    '未變基：要移動的提交中有已簽署的提交，簽章會因此遺失。',
    '未变基：要移动的提交中有已签名的提交，签名会因此丢失。',
  ],
  'Not rebased: a commit conflicts with upstream.': [
    '未變基：有提交與上游目前的內容衝突。',
    '未变基：有提交与上游当前的内容冲突。',
  ],
  'Not rebased: uncommitted changes conflict with upstream.': [
    '未變基：尚未提交的變更與上游目前的內容衝突。',
    '未变基：尚未提交的更改与上游当前的内容冲突。',
  ],
  'Not rebased: upstream adds files where ignored files are here.': [
    '未變基：上游的檔案與這裡被忽略的檔案位置相同。',
    '未变基：上游的文件与这里被忽略的文件位置相同。',
  ],
  'Move them away.': ['請先移走它們。', '请先移走它们。'],
  'Not rebased: git could not move the commits.': [
    '未變基：git 無法移動這些提交。',
    '未变基：git 无法移动这些提交。',
  ],
  'Not rebased: the tests fail on the result.': [
    '未變基：變基後的結果無法通過測試。',
    '未变基：变基后的结果无法通过测试。',
  ],
  'Rebase manually (git pull --rebase --autostash), and fix what the tests report.': [
    '請手動變基（git pull --rebase --autostash），並修正測試指出的問題。',
    '请手动变基（git pull --rebase --autostash），并修正测试指出的问题。',
  ],
  'Not rebased: the repository changed in the meantime.': [
    '未變基：儲存庫在此期間有變動。',
    '未变基：仓库在此期间有变动。',
  ],
  'Try again.': ['請再試一次。', '请再试一次。'],
  'Not rebased: the result could not be put in place.': ['未變基：結果無法就位。', '未变基：结果无法就位。'],
};
