// What axe finds on every page and state, light and dark, on desktop and phone: nothing.

import AxeBuilder from '@axe-core/playwright';
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
const FEW = ADDRESSES.slice(0, 4);
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
