/** Light or dark: as the system has it, or as chosen here. */
import { signal } from '@preact/signals';
import { browserSetting } from './browser-setting.ts';

type Theme = 'system' | 'light' | 'dark';
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const store = browserSetting('theme');
export const theme = signal<Theme>(THEMES.find((one) => one === store.get()) ?? 'system');

export function applyTheme(): void {
  const { documentElement } = document;
  if (theme.value === 'system') delete documentElement.dataset.theme;
  else documentElement.dataset.theme = theme.value;
}

/** The next of the three. */
export function turnTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  store.set(theme.value);
  applyTheme();
}
