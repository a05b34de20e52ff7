// Detects a newer version of the page. Notifies the user; never reloads automatically.

import { signal } from '@preact/signals';

/** Whether the server has another version. */
export const isNewVersion = signal(false);

const SCRIPT = /<script[^>]*\ssrc="([^"]+)"/;
const own = document.querySelector<HTMLScriptElement>('script[src]')?.getAttribute('src');

/** Compares the script of the served page with the loaded one. */
async function compareVersions(): Promise<void> {
  if (isNewVersion.value || own === null || own === undefined) return;
  const page = await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } });
  if (!page.ok) return;
  const [, served] = SCRIPT.exec(await page.text()) ?? [];
  if (served !== undefined && served !== own) isNewVersion.value = true;
}

/** Checks for a newer version. A failed request changes nothing. */
export function lookForNewVersion(): void {
  void compareVersions().catch(() => undefined);
}
