// The browser of these tests.

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe, onTestFinished } from 'vitest';
import { findChromium, findHeadlessShell } from '../../../web/dev/findChromium.ts';
import { startSite } from './site.ts';

/** For a page that hangs. It measures nothing: a machine ten times slower than any keeps it. */
const LIMIT_MS = 110_000;

const path = findHeadlessShell() ?? findChromium();
/** One for all files of a worker, which starts it once and takes it along when it ends. */
let browser: Promise<Browser> | undefined;

/** Tests in a browser. Without one they are skipped, and their name says why. */
export function describeInBrowser(name: string, tests: () => void): void {
  const isThere = path !== undefined;
  const reason = isThere
    ? ''
    : ' (skipped: there is no chromium; apt-get install chromium-headless-shell or chromium, or set CHROMIUM)';
  describe.skipIf(!isThere)(`${name}${reason}`, () => {
    tests();
  });
}

/** A page, with what went wrong in it. */
export interface Opened {
  page: Page;
  /** Errors, warnings and breaches of the policy, and requests to other places. */
  faults: string[];
}

/** Where a dashboard is. */
type Site = Pick<Awaited<ReturnType<typeof startSite>>, 'url'>;

/** Opens an address of a site. @param options Default: 1440 by 900 pixels. */
export async function open(
  site: Site,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  browser ??= chromium.launch({ executablePath: path ?? '', args: ['--no-sandbox'], timeout: LIMIT_MS });
  const context = await (await browser).newContext({
    viewport: { width: 1440, height: 900 },
    // What turns is drawn sixty times a second, by the processor.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(LIMIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const isExpected = message.text().includes('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isExpected) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) faults.push(`asked for ${request.url().slice(0, 200)}`);
  });
  await page.goto(`${site.url}${address}`);
  return { page, faults };
}

/**
 * Cuts the connections of a page, and answers its requests with 503 until one of its buttons is pressed: no
 * retry of the page's own comes before that.
 */
export async function disconnectUntilPressed(page: Page, site: Awaited<ReturnType<typeof startSite>>) {
  await page.evaluate(() => {
    const { fetch } = window;
    window.fetch = async () => new Response('', { status: 503 });
    addEventListener('click', () => Object.assign(window, { fetch }), { capture: true, once: true });
  });
  site.api.cut();
}

/** Whether the beginning of an element is on the screen, and nothing covers it. */
export function isInView(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { left, top, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + 4, top + height / 2));
  });
}

/** A phone. */
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

export { startSite };
