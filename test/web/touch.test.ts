// On a touch screen every control has at least 44 pixels both ways, with its own space.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import * as sessions from './support/sessions.ts';

const { addressOf } = sessions;
const LEAST_PX = 44;
/** A target that is close to others shares the space between them. */
const LEAST_OWN_PX = 24;

/** Controls that are too small to be touched, as `name: width x height`. */
function listSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ([least, leastOwn]) => {
      const controls = 'a[href], button, summary, select, input, textarea';
      const isControl = (element: Element) => !element.matches('[role=region], .skip');
      const found: string[] = [];
      for (const element of document.querySelectorAll<HTMLElement>(controls)) {
        if (!element.checkVisibility({ visibilityProperty: true }) || !isControl(element)) continue;
        const label = element.matches('input[type=checkbox]') ? element.closest('label') : null;
        const target = label ?? element;
        target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        const [box] = [...target.getClientRects()].toSorted((one, other) => other.width - one.width);
        if (box === undefined || box.width <= 1 || box.bottom < 0) continue;
        // From the middle of its longest line: its reach, alone and with neighbours.
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const reach = (dx: number, dy: number, isTarget: (hit: Element) => boolean) => {
          for (let far = 0; far < least; far++) {
            const hit = document.elementFromPoint(x + dx * far, y + dy * far);
            if (hit === null || !isTarget(hit)) return far;
          }
          return least;
        };
        if (target.scrollWidth > target.offsetWidth && target.matches('[class*=_chip_]'))
          found.push(`${target.innerText} is wider than its outline`);
        const isOwn = (hit: Element) => target.contains(hit);
        if (reach(0, 0, isOwn) === 0) continue;
        const isAny = (hit: Element) => hit.closest(`label, ${controls}`) !== null;
        const size = (isTarget: (hit: Element) => boolean) => [
          reach(-1, 0, isTarget) + reach(1, 0, isTarget) - 1,
          reach(0, -1, isTarget) + reach(0, 1, isTarget) - 1,
        ];
        const [own, shared] = [size(isOwn), size(isAny)];
        if (Math.min(...own) < leastOwn || Math.min(...shared) < least) {
          const name = (element.innerText || element.ariaLabel || element.className).slice(0, 40);
          found.push(
            `${element.tagName.toLowerCase()} ${name}: ${own.join(' x ')}, shared ${shared.join(' x ')}`,
          );
        }
      }
      return found;
    },
    [LEAST_PX, LEAST_OWN_PX] as const,
  );
}

const all = [
  sessions.ended(),
  sessions.waiting(),
  sessions.failed(),
  sessions.running(),
  sessions.team(),
  sessions.research(),
  sessions.limited(),
  sessions.every(),
  sessions.cancelled(),
];
const PAGES = [
  '/new',
  '/alerts',
  '/agents',
  '/agents/kubernetes-investigator',
  '/knowledge?q=checkout',
  '/knowledge/card-authorisations-fail',
  '/rejected',
  '/schedules',
  '/usage',
  '/system',
  '/errors',
];
const ADDRESSES = ['/', ...all.map((session) => addressOf(session)), addressOf(sessions.ended(), '/ask')];

describeInBrowser('on a phone', () => {
  // Each address takes half a second: CI looks at the list and two sessions.
  it('every control has 44 pixels, which it shares only with controls beside it', async () => {
    const site = await startSite(all);
    const { page } = await open(site, '/', PHONE);
    const small: Record<string, string[]> = {};
    for (const address of IS_LONG ? [...ADDRESSES, ...PAGES] : ADDRESSES.slice(0, 3)) {
      await page.goto(`${site.url}${address}`);
      await page.locator('main h1').waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
      await page.evaluate(() => {
        const fold = document.querySelector<HTMLElement>('[data-fold-all]');
        if (fold?.innerText === 'Unfold all') fold.click();
      });
      await page.waitForTimeout(200);
      const found = await listSmallTargets(page);
      if (found.length > 0) small[address] = found;
    }
    expect(small).toEqual({});
  });
});
