// The shape of the page where it was hard to read: many agents, sub-agents, low confidence, a deferred session, a slow list.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended, limited, many, team } from './support/sessions.ts';

const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} has no box`);
  return box;
};

describeInBrowser('a session', () => {
  it('of forty agents folds each to a line, under letters of its own, beside facts that stay', async () => {
    const session = many();
    const { page } = await open(await startSite([session]), addressOf(session));
    await expect.poll(() => page.locator('#steps article').count()).toBe(40);
    const letters = await page
      .locator('#steps article')
      .evaluateAll((all) => all.map((one) => one.ariaLabel));
    expect(new Set(letters.map((label) => label?.split(',')[0])).size).toBe(40);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(4_000);
    await page.getByRole('heading', { name: 'Alert', exact: true }).waitFor();
    await page.evaluate(() => scrollTo(0, 2_000));
    const { y, height } = await boxOf(page, '#facts');
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(900);
  });

  it('has sub-agents right of the call that asked them, and bars in the colour of its confidence', async () => {
    const session = team();
    const { page } = await open(await startSite([session]), addressOf(session));
    await page.locator('[id="e-01-lead.4"]').waitFor();
    const asked = await boxOf(page, '[id="e-01-lead.2"]');
    const child = await boxOf(page, '[id="e-01-lead~1.2"]');
    expect(child.x).toBeGreaterThan(asked.x);
    expect(await page.getByText('Answer to the agent that asked').count()).toBeGreaterThan(0);
    const colorOf = (level: string) =>
      page.locator('#analysis [data-level]').evaluate((mark, value) => {
        mark.setAttribute('data-level', value);
        return getComputedStyle(mark.querySelector('[data-on=true]') as Element).fill;
      }, level);
    const colors = [await colorOf('high'), await colorOf('medium'), await colorOf('low')];
    expect(new Set(colors).size).toBe(3);
  });

  it('that is a deferred check names its schedule, takes no guidance, and is started by its button', async () => {
    const session = ended();
    Object.assign(session.view, {
      status: 'deferred',
      endedAt: null,
      finalAnalysis: null,
      executiveSummary: null,
    });
    Object.assign(session.view, {
      kind: 'check',
      check: {
        schedule: 'nightly',
        question: 'Did the <b>backups</b> succeed?',
        result: 'attention',
        previous: 'healthy',
      },
    });
    session.row.kind = 'check';
    const site = await startSite([session]);
    const { page } = await open(site, '/');
    await page.locator('main li bdi', { hasText: /^check$/ }).waitFor();
    await page.goto(`${site.url}${addressOf(session)}`);
    await page.getByText('check of the schedule nightly').waitFor();
    expect(await page.getByRole('region', { name: 'Check' }).innerText()).toMatch(
      /Did the <b>backups<\/b> succeed\?\s+Result\s+Needs attention.*Healthy/s,
    );
    await page.getByRole('button', { name: 'Start now' }).click();
    await expect.poll(() => site.api.posted.map(({ path }) => path.split('/').at(-1))).toEqual(['start']);
    expect(await page.getByLabel('Guidance for the agents').count()).toBe(0);
  });
});

describeInBrowser('a page', () => {
  it('has room for its longest status, and for a place of any length above the answer', async () => {
    const session = limited();
    const { alert } = session.view;
    if (alert === null) throw new Error('the session has no alert');
    Object.assign(alert.labels, { namespace: 'n'.repeat(400), service: 's'.repeat(400) });
    const site = await startSite([session]);
    const { page } = await open(site, '/', { viewport: { width: 1024, height: 768 } });
    const { x, width } = await boxOf(page, 'main li [data-status=limited]');
    expect(x + width).toBeLessThanOrEqual((await boxOf(page, 'main li a[href^="/s/"]')).x);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`${site.url}${addressOf(session)}`);
    await page.locator('[data-place]').waitFor();
    expect((await boxOf(page, '#analysis')).y).toBeLessThan(400);
  });

  it('counts nothing before the list is read, and shows where a reader is among the pages', async () => {
    const site = await startSite([ended()]);
    const { page } = await open(site, '/usage', PHONE);
    const { x, width } = await boxOf(page, 'nav a[aria-current]');
    const nav = await boxOf(page, 'nav[aria-label=Pages]');
    expect(x + width).toBeLessThanOrEqual(nav.x + nav.width);
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/v1\/sessions\?/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(site.url);
    await page.getByText('Loading …').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/\b0\b/);
    resolve();
    await page.getByText('0 need approval').waitFor();
  });
});
