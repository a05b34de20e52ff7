// Whether the server has another version of the page. It is said; nothing is loaded by itself.

import { signal } from '@preact/signals';

/** Whether there is one. */
export const isNewVersion = signal(false);

const SCRIPT = /<script[^>]*\ssrc="([^"]+)"/;
const own = document.querySelector<HTMLScriptElement>('script[src]')?.getAttribute('src');

/** Looks at the page as it is served now. */
async function look(): Promise<void> {
  if (isNewVersion.value || own === null || own === undefined) return;
  const page = await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } });
  if (!page.ok) return;
  const [, served] = SCRIPT.exec(await page.text()) ?? [];
  if (served !== undefined && served !== own) isNewVersion.value = true;
}

/** Looks; where the page cannot be read, it is as it was. */
export function lookForNewVersion(): void {
  void look().catch(() => undefined);
}
