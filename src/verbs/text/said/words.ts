/** Single words that are values of sentences: what a status, or how severe a drift, is called in Chinese. */
import type { Said } from './said.ts';

export const WORDS: Said = {
  'paused from the command line': ['由命令列暫停', '由命令行暂停'],
  queued: ['排隊中', '排队中'],
  in_progress: ['進行中', '进行中'],
  paused: ['已暫停', '已暂停'],
  waiting: ['等待中', '等待中'],
  completed: ['已完成', '已完成'],
  failed: ['失敗', '失败'],
  stopped: ['已停止', '已停止'],
  cancelled: ['已取消', '已取消'],
  none: ['無', '无'],
  low: ['低', '低'],
  medium: ['中', '中'],
  high: ['高', '高'],
};
