import type { Said } from './said.ts';

export const config: Said = {
  'a list of tools such as "Bash(git push *)"': [
    '工具清單，例如「Bash(git push *)」',
    '工具列表，例如“Bash(git push *)”',
  ],
  'The project says where the key is, but that has no effect until you trust it ({0}): {1}': [
    '專案說明了金鑰的來源，但在你信任之前不會生效（{0}）：{1}',
    '项目说明了密钥的来源，但在你信任之前不会生效（{0}）：{1}',
  ],
  'These settings of the project have no effect until you trust them ({0}): {1}. "{2}" shows them and asks.':
    [
      '在你信任之前不會生效，因為是專案設定的（{0}）：{1}。「{2}」會顯示並詢問。',
      '在你信任之前不会生效，因为是项目设置的（{0}）：{1}。“{2}”会显示并询问。',
    ],
  'Also: {0}': ['另外：{0!}', '另外：{0!}'],
  'the end of the file': ['檔案結尾', '文件结尾'],
  'not JSON at line {0}, column {1}: {2}.': [
    '第 {0} 行第 {1} 欄不是 JSON：{2!}。',
    '第 {0} 行第 {1} 栏不是 JSON：{2!}。',
  ],
  'it is nested too deeply.': ['巢狀層數過深。', '嵌套层数过深。'],
  'it does not hold an object.': ['內容不是一個物件。', '内容不是一个对象。'],
  'a JSON object ({ … })': ['一個 JSON 物件（{ … }）', '一个 JSON 对象（{ … }）'],
  'a file of at most {0} bytes that this user may read': [
    '使用者可以讀取、最多 {0} 個位元組的檔案',
    '用户可以读取、最多 {0} 个字节的文件',
  ],
  '{0} belongs to user {1}, and you may not read it.': [
    '{0} 屬於使用者 {1}，你沒有讀取權限。',
    '{0} 属于用户 {1}，你没有读取权限。',
  ],
  'Work as {0}, or in a copy of the project that is yours. If the tasks in it are yours: sudo chown -R "$(id -u):$(id -g)" \'{1}\'':
    [
      '請以 {0} 的身分操作，或在你自己的一份專案副本中操作。如果其中的任務是你的：sudo chown -R "$(id -u):$(id -g)" \'{1}\'',
      '请以 {0} 的身份操作，或在你自己的一份项目副本中操作。如果其中的任务是你的：sudo chown -R "$(id -u):$(id -g)" \'{1}\'',
    ],
  'it cannot be read.': ['無法讀取。', '无法读取。'],
  'no setting has this variable.': ['沒有對應這個變數的設定。', '没有对应这个变量的设置。'],
  'And {0} more.': ['另有 {0} 項。', '另有 {0} 项。'],
  'Did you mean "{0}"? docs/reference/settings.md lists every setting.': [
    '你是指「{0}」嗎？docs/reference/settings.md 列出所有設定。',
    '你是指“{0}”吗？docs/reference/settings.md 列出所有设置。',
  ],
  'docs/reference/settings.md lists every setting.': [
    'docs/reference/settings.md 列出所有設定。',
    'docs/reference/settings.md 列出所有设置。',
  ],
  'Correct the file, or move it away to use the defaults. It has to be {0}.': [
    '請更正這個檔案，或將它移開：沒有它就使用預設值。它必須是{0!}。',
    '请更正这个文件，或将它移开：没有它就使用默认值。它必须是{0!}。',
  ],
  'one of {0}': ['{0} 其中之一', '{0} 其中之一'],
  'there is no setting "{0}".': ['沒有設定「{0}」。', '没有设置“{0}”。'],
  'it in your own config.json, in its variable, or among the options': [
    '寫在你自己的 config.json、它的環境變數或選項中',
    '写在你自己的 config.json、它的环境变量或选项中',
  ],
  'a project cannot set "{0}"; expected {1}.': [
    '專案不能設定「{0}」；應{1!}。',
    '项目不能设置“{0}”；应{1!}。',
  ],
  'an object of settings ({ … })': ['一個設定物件（{ … }）', '一个设置对象（{ … }）'],
  'not usable': ['無法使用的值', '无法使用的值'],
  '"{0}" is {1}; expected {2}.': ['「{0}」是 {1!}；應為{2!}。', '“{0}”是 {1!}；应为{2!}。'],
  'In the options given: {0}': ['在給定的選項中：{0!}', '在给定的选项中：{0!}'],
  'In the environment variable {0}: {1}': ['在環境變數 {0} 中：{1!}', '在环境变量 {0} 中：{1!}'],
  'In {0}: {1}': ['在 {0} 中：{1!}', '在 {0} 中：{1!}'],
  text: ['文字', '文本'],
  'a number above {0}': ['大於 {0} 的數字', '大于 {0} 的数字'],
  'a number from {0} up': ['不小於 {0} 的數字', '不小于 {0} 的数字'],
  'a number from {0} to {1}': ['{0} 到 {1} 之間的數字', '{0} 到 {1} 之间的数字'],
  'a whole number from {0} up': ['不小於 {0} 的整數', '不小于 {0} 的整数'],
  'a whole number from {0} to {1}': ['{0} 到 {1} 之間的整數', '{0} 到 {1} 之间的整数'],
  'a time of day such as "03:00"': ['時刻，例如「03:00」', '时刻，例如“03:00”'],
  'lower-case letters, digits and "_", at most 63, not beginning with a digit': [
    '小寫字母、數字與「_」，最多 63 個，且不以數字開頭',
    '小写字母、数字与“_”，最多 63 个，且不以数字开头',
  ],
  'a list of patterns as in .gitignore': ['如 .gitignore 的樣式清單', '如 .gitignore 的样式清单'],
  '{0}, or null': ['{0!}，或 null', '{0!}，或 null'],
  'true or false': ['true 或 false', 'true 或 false'],
  'a value': ['一個值', '一个值'],
  'one of the two': ['兩者之一', '两者之一'],
  '"{0}" is another name of "{1}", and both are given.': [
    '「{0}」是「{1}」的另一個名稱，而兩者都設定了。',
    '“{0}”是“{1}”的另一个名称，而两者都设置了。',
  ],
  'a value such as "{0}"': ['像「{0}」這樣的值', '像“{0}”这样的值'],
};
