// What axe finds on every page and state, light and dark, on desktop and phone: nothing.

import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { listViolations } from './support/axe.ts';
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
  sessions.limited(),
  sessions.many(),
  sessions.cancelled(),
  sessions.team(),
];
const ADDRESSES = [
  '/',
  ...all.map((session) => addressOf(session)),
  addressOf(all[0] as (typeof all)[0], '/ask'),
  '/new',
  '/unknown',
  `/compare?a=${all[0]?.session.sessionId}&b=${all[6]?.session.sessionId}`,
  addressOf(all[0] as (typeof all)[0], `/messages/${all[0]?.events[0]?.executionId}`),
  '/knowledge',
  '/knowledge?q=checkout',
  '/knowledge/card-authorisations-fail',
  '/agents',
  '/agents/kubernetes-investigator',
  '/alerts',
  '/errors',
  '/schedules',
  '/rejected',
  '/usage',
  '/system',
];
/** A list, a session that ended, one that runs, one that waits. */
const TYPICAL = ADDRESSES.slice(0, 4);
/** The rules whose findings depend on colours and widths. */
const VISUAL_RULES = ['color-contrast', 'scrollable-region-focusable'];
/** Where each combination is looked at. CI looks at a list and a session only. */
const COMBINED = IS_LONG ? ADDRESSES : TYPICAL.slice(0, 2);
const ONLY_LIGHT = TYPICAL.filter((address) => !COMBINED.includes(address));

/** Opens an address, and waits until all of it was read. */
async function openFully(address: string, options: BrowserContextOptions): Promise<Page> {
  const { page } = await open(await startSite(all), address, options);
  await page.locator('main h1').waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
  return page;
}

describeInBrowser('axe', () => {
  it.each(ONLY_LIGHT)('finds nothing on %s, light', async (address) => {
    expect(await listViolations(await openFully(address, { colorScheme: 'light' }))).toEqual([]);
  });

  it.each(COMBINED)('finds nothing on %s: light, dark, and as narrow as a phone', async (address) => {
    const page = await openFully(address, { colorScheme: 'light' });
    const light = await listViolations(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await listViolations(page, VISUAL_RULES);
    await page.setViewportSize({ width: 390, height: 844 });
    const narrow = await listViolations(page, VISUAL_RULES);
    expect({ light, dark, narrow }).toEqual({ light: [], dark: [], narrow: [] });
  });

  it.each(TYPICAL.slice(0, IS_LONG ? 2 : 1))('finds nothing on %s, on a phone', async (address) => {
    expect(await listViolations(await openFully(address, { ...PHONE, colorScheme: 'dark' }))).toEqual([]);
  });
});

describeInBrowser('no word is lost', () => {
  const words = (page: Page) =>
    page.evaluate(() =>
      (document.querySelector('main') as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
    );

  it.each(COMBINED.slice(0, TYPICAL.length))('with the colours of the system, on %s', async (address) => {
    const page = await openFully(address, {});
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
    expect(await listBorderlessControls(page)).toEqual([]);
  });

  it.each(COMBINED.slice(0, TYPICAL.length))(
    'at twice the size, and nothing has to be scrolled sideways, on %s',
    async (address) => {
      // A window of 640 pixels whose reader sees everything twice as large.
      const options = { viewport: { width: 320, height: 600 }, deviceScaleFactor: 2 };
      const page = await openFully(address, options);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(320);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('h1, h2, h3, #analysis p, #analysis li')]
          .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
          .map(({ innerText }) => innerText.slice(0, 80)),
      );
      expect(cut).toEqual([]);
    },
  );
});

/** Buttons and fields that could not be told from text where the system chooses the colours. */
function listBorderlessControls(page: Page): Promise<string[]> {
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
