import type { hooks as en } from '../en/hooks.ts';

export const hooks: Record<keyof typeof en, string> = {
  'hooks.install.summary': '安裝記錄代理的外掛程式：在每個找到的代理中，或只在指名的代理中',
  'hooks.status.summary': '顯示外掛程式安裝在哪些代理中，以代理自己的回報為準',
  'hooks.remove.summary': '移除外掛程式；代理自己的檔案會恢復到安裝前的樣子',
  'hooks.argument.client': '代理（預設：所有找到的代理）',
  'hooks.option.here': '只用於這個專案（如果該代理有專案設定）',
  'hooks.option.project': '專案目錄，與其他命令相同；不寫目錄時等同 --here',
  'hooks.option.strict': '無法記錄時拒絕代理的呼叫（預設：照常執行，不記錄）',
  'hooks.option.trust': '在代理要求時，告訴它你信任外掛程式的掛鉤',
  'hooks.state.absent': '{client}：這台機器上找不到。',
  'hooks.state.not_installed': '{client}：未安裝。',
  'hooks.state.not_active': '{client}：已安裝，但尚未開始記錄。',
  'hooks.state.active': '{client}：已安裝；它的工作階段會被記錄。',
  'hooks.strict.on': '無法記錄時會拒絕呼叫（--strict）。',
  'hooks.strict.none': '無法記錄的呼叫照常執行（未使用 --strict）。',
  'hooks.strict.off':
    '{client} 先前以 --strict 安裝；現在無法記錄時不再拒絕呼叫。若要保留，請以 --strict 安裝。',
  'hooks.none': '找不到任何代理：PATH 上沒有 claude、codex、gemini 或 opencode。',
  'hooks.none_hint': '請安裝其中一個，或把它的目錄加入 PATH。沒有變更任何內容。',
  'hooks.new_sessions': '已經開啟的工作階段不會被記錄：請開啟新的工作階段。',
  'agents.usage': '用法：vibe-engine agent-host <{clients}> [--strict] [--socket]',
  'agents.not_recorded': 'Vibe Engine 沒有記錄這個工作階段：{why}',
  'agents.hung': 'Vibe Engine 沒有回應。在它回應之前，發生的事不會被記錄。',
};
