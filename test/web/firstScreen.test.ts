// The first screen: problem, place, certainty, next command; and readable buttons.

import type { CDPSession, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended, limited, waiting } from './support/sessions.ts';

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 320, height: 700 },
  ...(IS_LONG
    ? [
        { width: 1024, height: 768 },
        { width: 390, height: 844 },
      ]
    : []),
];
const COLOR_SCHEMES: ('light' | 'dark')[] = IS_LONG ? ['light', 'dark'] : ['dark'];
/** The bar of a phone covers the end of the screen. */
const BAR_PX = 56;

describeInBrowser('the first screen', () => {
  it.each(SCREENS)(
    'has command, place and runbook at $width pixels, and nothing to unfold',
    async (screen) => {
      const session = ended();
      const isPhone = screen.width < 900;
      const options = isPhone ? { ...PHONE, viewport: screen } : { viewport: screen };
      const { page } = await open(await startSite([session]), addressOf(session), options);
      const bottom = screen.height - (isPhone ? BAR_PX : 0);
      const place = page.locator('[data-place]');
      await expect.poll(() => place.innerText()).toContain('shop/checkout');
      expect(await place.innerText()).toContain('shop-prod');
      const step = page.locator('[data-do-now]');
      const parts = {
        place,
        command: step.locator('code'),
        copy: step.getByRole('button', { name: /Copy the command kubectl/ }),
        runbook: page.locator('header + * a, main a', { hasText: 'Runbook' }).first(),
      };
      for (const [name, part] of Object.entries(parts)) {
        const { y = 9_999, height = 0 } = (await part.boundingBox()) ?? {};
        expect(y + height, name).toBeLessThanOrEqual(bottom);
      }
      await parts.copy.click();
      const read = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(read).toBe('kubectl -n shop rollout undo deployment/checkout --to-revision=7');
    },
  );

  it('states each limit of an analysis at its top, in the title of the tab and in the list', async () => {
    const session = limited();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), PHONE);
    const limits = page.locator('[data-limits]');
    await expect.poll(() => limits.innerText()).toContain('1 of 2 agents found something');
    const text = await limits.innerText();
    expect(text).toContain(
      'Concluded at the token budget: pod-reviewer. Raise sessionTokens (50000) of its chain',
    );
    expect(text).toContain('the tool server prometheus');
    expect((await limits.boundingBox())?.y).toBeLessThan(400);
    expect(await page.title()).toMatch(/^Limited: /);
    await page.getByText('Completed, limited').waitFor();
    await page.goto(`${site.url}/`);
    await expect
      .poll(() => page.locator('main li').innerText())
      .toContain(
        'Concluded at the token budget · A tool server could not be reached · An agent found nothing',
      );
  });
});

/** Controls whose text has too little contrast, by state, as `text on background: ratio`. */
async function listPaleControls(page: Page): Promise<Record<string, string[]>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('DOM.enable');
  await cdp.send('CSS.enable');
  const nodes = await controlsOf(cdp);
  const pale: Record<string, string[]> = {};
  for (const states of STATES) {
    await Promise.all(
      nodes.map((nodeId) => cdp.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: states })),
    );
    const found = await listPaleTexts(page);
    if (found.length > 0) pale[states.join('+')] = found;
  }
  await cdp.detach();
  return pale;
}

/** The controls whose text has too little contrast now. */
function listPaleTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
    const known = new Map<string, number[]>();
    const channels = (color: string) => {
      const had = known.get(color);
      if (had) return had;
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = color;
      context.fillRect(0, 0, 1, 1);
      const drawn = [...context.getImageData(0, 0, 1, 1).data];
      known.set(color, drawn);
      return drawn;
    };
    const luminance = (color: readonly number[]) => {
      const [r = 0, g = 0, b = 0] = color.slice(0, 3).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element: Element | null): number[] => {
      for (let at = element; at !== null; at = at.parentElement) {
        const color = channels(getComputedStyle(at).backgroundColor);
        if (color[3] === 255) return color;
      }
      return [255, 255, 255, 255];
    };
    return [...document.querySelectorAll<HTMLElement>('button, summary, select, a[class]')]
      .filter((element) => element.checkVisibility() && element.innerText.trim() !== '')
      .flatMap((element) => {
        const style = getComputedStyle(element);
        const [a, b] = [luminance(channels(style.color)), luminance(behind(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        return ratio >= 4.5 ? [] : [`${element.innerText.slice(0, 30)}: ${ratio.toFixed(2)}`];
      });
  });
}

async function controlsOf(cdp: CDPSession): Promise<number[]> {
  const { root } = await cdp.send('DOM.getDocument', { depth: 0 });
  const selector = 'button, summary, select, a';
  const { nodeIds } = await cdp.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
  return nodeIds;
}

const STATES = [[], ['hover'], ['focus', 'focus-visible'], ['hover', 'active']];

describeInBrowser('every control', () => {
  const all = [ended(), waiting()];
  const addresses = [
    '/',
    ...all.map((session) => addressOf(session)),
    addressOf(all[0] as (typeof all)[0], '/ask'),
    '/knowledge',
    '/usage',
  ];
  it.each(COLOR_SCHEMES)('can be read in each of its states, %s', async (colorScheme) => {
    const site = await startSite(all);
    const { page } = await open(site, '/', { colorScheme });
    const pale: Record<string, Record<string, string[]>> = {};
    for (const address of addresses) {
      await page.goto(`${site.url}${address}`);
      await page.locator('main h1').waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-label^=Loading]') === null);
      pale[address] = await listPaleControls(page);
    }
    await page.evaluate(() => {
      for (const button of document.querySelectorAll('button')) button.disabled = true;
    });
    pale.disabled = await listPaleControls(page);
    const failing = Object.entries(pale).filter(([, found]) => Object.keys(found).length > 0);
    expect(failing).toEqual([]);
  });
});
