// Light or dark: as the system has it, until a reader chooses.

import { signal } from '@preact/signals';

const KEY = 'inquest.theme';

/** The selected theme; empty for the system's. */
const theme = signal(read());

function read(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}

/** Applies the selected theme. */
export function applyTheme(): void {
  if (theme.value === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

/** Changes to the other one of light and dark. */
export function toggleTheme(): void {
  const isDark =
    theme.value === '' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark';
  theme.value = isDark ? 'light' : 'dark';
  applyTheme();
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // Without storage it holds until the page is left.
  }
}
