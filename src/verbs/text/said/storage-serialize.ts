import type { Said } from './said.ts';

export const storageSerialize: Said = {
  'a class without a name': ['沒有名稱的類別', '没有名称的类'],
  'A registered class needs a name.': ['註冊的類別需要名稱。', '注册的类需要名称。'],
  '{0} is stored as it is and cannot be registered.': [
    '{0} 會原樣儲存，不能註冊。',
    '{0} 会原样存储，不能注册。',
  ],
  '{0} cannot be registered as "{1}": {2} is "{3}".': [
    '{0} 不能註冊為「{1}」：{2} 已是「{3}」。',
    '{0} 不能注册为“{1}”：{2} 已是“{3}”。',
  ],
  'Give each class one name of its own, and register it once, before the store is used.': [
    '請給每個類別一個自己的名稱，並在使用儲存庫之前註冊一次。',
    '请给每个类一个自己的名称，并在使用存储库之前注册一次。',
  ],
  'it is nested more than {0} levels deep': ['它的巢狀超過 {0} 層', '它的嵌套超过 {0} 层'],
  'The stored class "{0}" is not registered here.': [
    '儲存的類別「{0}」在這裡沒有註冊。',
    '存储的类“{0}”在这里没有注册。',
  ],
  'Call registerClass({ name: {0}, class, toDict, fromDict }) before loading; the data is intact.': [
    '請在載入之前呼叫 registerClass({ name: {0}, class, toDict, fromDict })；資料完好。',
    '请在载入之前调用 registerClass({ name: {0}, class, toDict, fromDict })；数据完好。',
  ],
  'fromDict of the registered class "{0}" failed on stored data.': [
    '已註冊的類別「{0}」的 fromDict 處理儲存的資料時失敗。',
    '已注册的类“{0}”的 fromDict 处理存储的数据时失败。',
  ],
  'See the cause. Let fromDict also take what earlier versions of toDict stored; the data is intact.': [
    '請查看原因。請讓 fromDict 也接受舊版 toDict 儲存的內容；資料完好。',
    '请查看原因。请让 fromDict 也接受旧版 toDict 存储的内容；数据完好。',
  ],
  'a value marked "{0}" is not one': ['標記為「{0}」的值並不是', '标记为“{0}”的值并不是'],
  'The stored text is damaged or from a newer version: {0}.': [
    '儲存的文字已損壞或來自較新的版本：{0!}。',
    '存储的文本已损坏或来自较新的版本：{0!}。',
  ],
  'Restore it from a backup, or read it with the version that wrote it. Nothing was changed.': [
    '請由備份還原，或以寫入它的版本讀取。什麼都沒有改變。',
    '请由备份还原，或以写入它的版本读取。什么都没有改变。',
  ],
  'it is a function': ['它是函式', '它是函数'],
  'Leave functions out; store what is needed to create them again.': [
    '請省略函式；儲存重建它所需的內容。',
    '请省略函数；存储重建它所需的内容。',
  ],
  'it is a symbol': ['它是 symbol', '它是 symbol'],
  'Store a string instead.': ['請改為儲存字串。', '请改为存储字符串。'],
  'it has a key that is a symbol': ['它有 symbol 作為鍵', '它有 symbol 作为键'],
  'Use strings as keys, or make the property non-enumerable.': [
    '請以字串作為鍵，或將該屬性設為不可列舉。',
    '请以字符串作为键，或将该属性设为不可列举。',
  ],
  'it is an instance of a class that is not registered': ['它是未註冊類別的實例', '它是未注册类的实例'],
  'Store plain data instead, or register the class: registerClass({ name, class, toDict, fromDict }).': [
    '請改為儲存一般資料，或註冊該類別：registerClass({ name, class, toDict, fromDict })。',
    '请改为存储一般数据，或注册该类：registerClass({ name, class, toDict, fromDict })。',
  ],
  'it is a promise': ['它是 promise', '它是 promise'],
  'Await it, and store what it resolves to.': ['請先等待它，再儲存其結果。', '请先等待它，再存储其结果。'],
  'it contains itself': ['它指回包含它的物件', '它指回包含它的对象'],
  'Store an id in its place, and look it up after loading.': [
    '請改為儲存識別碼，載入後再查找。',
    '请改为存储标识符，载入后再查找。',
  ],
  'Flatten the value, for example into a list with ids.': [
    '請將值攤平，例如改為帶有識別碼的清單。',
    '请将值摊平，例如改为带有标识符的清单。',
  ],
  'its text is longer than {0} characters': ['它的文字超過 {0} 個字元', '它的文本超过 {0} 个字符'],
  'Store large content as blobs, and their ids in the value.': [
    '請將大的內容存為資料塊，並在值中存放它們的識別碼。',
    '请将大的内容存为数据块，并在值中存放它们的标识符。',
  ],
  'it has more than {0} digits': ['它超過 {0} 位數', '它超过 {0} 位数'],
  'Store its bytes instead.': ['請改為儲存它的位元組。', '请改为存储它的字节。'],
  'it is a hole in a sparse array': ['它是稀疏陣列中的空洞', '它是稀疏数组中的空洞'],
  'Fill it with null or undefined, or use a Map.': [
    '請填入 null 或 undefined，或改用 Map。',
    '请填入 null 或 undefined，或改用 Map。',
  ],
  'it has a named property in addition to its contents': [
    '它的內容之外還有具名屬性',
    '它的内容之外还有具名属性',
  ],
  'Copy the contents ([...list], new Map(map)), and store the property apart.': [
    '請複製內容（[...list]、new Map(map)），並另外儲存該屬性。',
    '请复制内容（[...list]、new Map(map)），并另外存储该属性。',
  ],
  'it is an invalid date': ['它是無效的日期', '它是无效的日期'],
  'Store null where there is no date.': ['沒有日期時請儲存 null。', '没有日期时请存储 null。'],
  'it would not come back the same': ['它讀回時不會相同', '它读回时不会相同'],
  'Store its text instead.': ['請改為儲存它的文字。', '请改为存储它的文本。'],
  'reading it threw': ['讀取它時發生例外', '读取它时发生例外'],
  'Make the getter, proxy or toDict behind it answer, or leave it out.': [
    '請讓背後的 getter、proxy 或 toDict 能夠回應，或將它省略。',
    '请让背后的 getter、proxy 或 toDict 能够回应，或将它省略。',
  ],
  'Cannot store {0}: {1} ({2}).': ['無法儲存{0!}：{1!}（{2!}）。', '无法存储{0!}：{1!}（{2!}）。'],
  'Cannot store {0}: {1}.': ['無法儲存{0!}：{1!}。', '无法存储{0!}：{1!}。'],
  'the value itself': ['這個值本身', '这个值本身'],
  'an error that cannot be shown': ['無法顯示的錯誤', '无法显示的错误'],
};
