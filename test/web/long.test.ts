// A session of 2,000 events: its weight on the wire, what it draws, and what it reads on demand.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, type Opened, open } from './support/chromium.ts';
import { addressOf, long } from './support/sessions.ts';
import { startSite } from './support/site.ts';

const ITERATIONS = 200;

/** Counts the bytes that a page receives, as they are on the wire, from now on. */
async function countBytes(page: Page): Promise<() => number> {
  const devTools = await page.context().newCDPSession(page);
  let bytes = 0;
  devTools.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  return () => bytes;
}

const nodesOf = ({ page }: Opened) => page.evaluate(() => document.querySelectorAll('*').length);
const rowsOf = ({ page }: Opened) => page.locator('#steps [data-row]');
const readAll = ({ page }: Opened) =>
  page
    .locator('[data-iteration]')
    .nth(ITERATIONS - 1)
    .waitFor();

describeInBrowser('two thousand events', () => {
  it('send at most 600 kB, compressed, and draw the first steps before the last ones are read', async () => {
    const session = long();
    const site = await startSite([session]);
    const opened = await open(site, '/');
    const { page, faults } = opened;
    const bytes = await countBytes(page);
    // The second page of steps waits until the first is looked at.
    const held = Promise.withResolvers<void>();
    await page.route('**/timeline?*after=*', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${site.url}${addressOf(session)}`);
    await page.locator('[data-iteration]').first().waitFor();
    await page.getByText(/^Loading: [\d,]+ events so far$/).waitFor();
    expect(await page.locator('[data-iteration]').count()).toBeLessThan(ITERATIONS);
    expect(bytes(), 'until the first steps').toBeGreaterThan(50_000);
    expect(bytes(), 'until the first steps').toBeLessThan(400_000);
    held.resolve();
    await readAll(opened);
    await page.getByText(/^Loading:/).waitFor({ state: 'detached' });
    expect(bytes(), 'of all steps').toBeLessThan(600_000);
    expect(await nodesOf(opened)).toBeLessThan(15_000);
    expect(faults).toEqual([]);
  });

  it('make at most 15,000 nodes with everything unfolded, keep the place of a reader, and are printed whole', async () => {
    const session = long();
    const opened = await open(await startSite([session]), addressOf(session));
    const { page, faults } = opened;
    await readAll(opened);
    await page.locator('[data-fold-all]').click();
    await expect.poll(() => rowsOf(opened).count()).toBeGreaterThan(20);
    expect(await nodesOf(opened)).toBeLessThan(15_000);
    const heading = page.locator('[data-iteration]').nth(100);
    const drawn = page.locator('[id="e-01-long.1003"]');
    expect(await drawn.count()).toBe(0);
    // Rows around the heading are drawn after the jump: the first visible one stays.
    const before = await heading.evaluate((element) => {
      element.scrollIntoView({ block: 'start' });
      scrollBy(0, -100);
      return element.getBoundingClientRect().top;
    });
    await expect.poll(() => drawn.count()).toBe(1);
    const top = () => heading.evaluate((element) => element.getBoundingClientRect().top);
    expect(Math.abs((await top()) - before)).toBeLessThan(1);
    expect(await nodesOf(opened)).toBeLessThan(15_000);
    const visited = new Set<string>();
    for (let n = 0; n < 40; n++) {
      await page.keyboard.press('j');
      visited.add(await page.evaluate(() => document.activeElement?.closest('[data-row]')?.id ?? ''));
    }
    visited.delete('');
    expect(visited.size).toBeGreaterThan(30);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await expect.poll(() => rowsOf(opened).count()).toBeGreaterThan(900);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(faults).toEqual([]);
  });

  it('have errors that are visited one after the other, and again', async () => {
    const session = long();
    const opened = await open(await startSite([session]), addressOf(session));
    const { page, faults } = opened;
    await readAll(opened);
    const visited: string[] = [];
    for (let n = 0; n < 7; n++) {
      await page.keyboard.press('e');
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).not.toBe(visited.at(-1) ?? '');
      visited.push(await page.evaluate(() => document.activeElement?.id ?? ''));
    }
    expect(new Set(visited).size).toBe(6);
    expect(visited[6]).toBe(visited[0]);
    expect(faults).toEqual([]);
  });

  it('are searched in whole results, and a link opens a step of the last page with its line', async () => {
    const session = long();
    const site = await startSite([session]);
    const opened = await open(site, addressOf(session));
    const { page } = opened;
    await readAll(opened);
    const result = session.events.find(({ sequenceNumber }) => sequenceNumber === 1970);
    const [last = ''] = result?.content.split('\n').slice(-1) ?? [];
    const [request = ''] = /request=\w+/.exec(last) ?? [];
    await page.getByLabel('Search in steps').fill(request);
    await expect.poll(() => rowsOf(opened).count()).toBe(1);
    await page.goto(`${site.url}${addressOf(session)}#e-01-long.1969:L30`);
    await page.getByText(request).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('e-01-long.1969');
  });
});
