// What axe finds on every page and state, light and dark, on desktop and phone: nothing.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import * as sessions from './support/sessions.ts';

const { addressOf } = sessions;
const all = [
  sessions.ended(),
  sessions.running(),
  sessions.waiting(),
  sessions.failed(),
  sessions.every(),
  sessions.research(),
];
const ADDRESSES = [
  '/',
  ...all.map((session) => addressOf(session)),
  addressOf(all[0] as (typeof all)[0], '/ask'),
  '/knowledge',
  '/knowledge?q=checkout',
  '/knowledge/card-authorisations-fail',
  '/agents',
  '/agents/kubernetes-investigator',
  '/rejected',
  '/usage',
];
/** Enough where only colours or widths differ from another screen. */
const FEW = ADDRESSES.slice(0, 2);
/** A list, a session that ended, one that runs, one that waits. */
const TYPICAL = ADDRESSES.slice(0, 4);
const SCREENS = [
  { name: 'desktop, light', isFull: true, options: { colorScheme: 'light' } },
  { name: 'desktop, dark', isFull: false, options: { colorScheme: 'dark' } },
  { name: 'phone, light', isFull: false, options: { ...PHONE, colorScheme: 'light' } },
  { name: 'phone, dark', isFull: true, options: { ...PHONE, colorScheme: 'dark' } },
] as const;

const CASES = SCREENS.flatMap(({ isFull, ...screen }) =>
  (isFull ? ADDRESSES : FEW).map((address) => ({ ...screen, address })),
);

describeInBrowser('axe', () => {
  it.each(CASES)('finds nothing on $address, $name', async ({ options, address }) => {
    const { page } = await open(await startSite(all), address, options);
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    );
    expect(found).toEqual([]);
  });
});

describeInBrowser('no word is lost', () => {
  const words = (page: Page) =>
    page.evaluate(() =>
      (document.querySelector('main') as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
    );

  it.each(TYPICAL)('with the colours of the system, on %s', async (address) => {
    const site = await startSite(all);
    const { page } = await open(site, address);
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
    // Seconds go on meanwhile, and a part that is loaded late can come between the two.
    const still = (text: string) => text.replace(/\d+/g, '0');
    const wordsWith = async (forcedColors: 'none' | 'active') => {
      await page.emulateMedia({ forcedColors });
      return still(await words(page));
    };
    await expect
      .poll(async () => {
        const usual = await wordsWith('none');
        const forced = await wordsWith('active');
        return forced === usual ? 'the same words' : { usual, forced };
      })
      .toBe('the same words');
    expect(await borderless(page)).toEqual([]);
  });

  it.each(TYPICAL)('at twice the size, and nothing has to be scrolled sideways, on %s', async (address) => {
    const site = await startSite(all);
    // A window of 640 pixels whose reader sees everything twice as large.
    const options = { viewport: { width: 320, height: 600 }, deviceScaleFactor: 2 };
    const { page } = await open(site, address, options);
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('h1, h2, h3, #analysis p, #analysis li')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        .map(({ innerText }) => innerText.slice(0, 80)),
    );
    expect(cut).toEqual([]);
  });
});

/** Buttons and fields that could not be told from text where the system chooses the colours. */
function borderless(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'main input, main select, main textarea, main [class*=_chip_]',
      ),
    ]
      .filter((element) => element.checkVisibility() && getComputedStyle(element).borderTopStyle === 'none')
      .map((element) => element.outerHTML.slice(0, 120)),
  );
}
