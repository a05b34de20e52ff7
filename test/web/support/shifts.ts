// Layout shift, as the browser counts it.

import type { Page } from 'playwright-core';

/** Runs in the page: notes each shift in `window.shifts`, with value and moved elements. */
export function recordShifts(): void {
  const seen = window as unknown as { shifts: string[] };
  seen.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] };
      const nodes = sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? node?.textContent);
      // The caret, and numbers that grow to the left.
      if (value >= 0.001) seen.shifts.push(`${value.toFixed(4)} ${nodes.join(' | ')}`);
    }
  }).observe({ type: 'layout-shift' });
}

/** The shifts that a page noted, as far as its frames are drawn. */
export function readShifts(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // The observer is called after the frame that it observes.
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return (window as unknown as { shifts: string[] }).shifts;
  });
}

/** Opens an address in a page that notes shifts, without its cache. */
export async function openAndRecordShifts(page: Page, address: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.addInitScript(recordShifts);
  await page.goto(address);
}
