// The page in hard cases: many agents, sub-agents, low confidence, deferred, slow lists.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { readSessionAlert } from '../../shared/alerts/schema/alert.ts';
import { NOT_STEERED } from '../../shared/core/schema/session.ts';
import { documentsOf } from '../../web/dev/fixtures.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended, limited, many, moveToNow, running, team, waiting } from './support/sessions.ts';
import { openAndRecordShifts, readShifts } from './support/shifts.ts';

/** A slow page with the elements that come last. */
const LOADED = [
  { name: 'a session with an approval', of: waiting, last: ['#facts #alert-title', '#analysis'] },
  { name: 'a session with evidence', of: ended, last: ['#facts #alert-title', '#analysis [data-where]'] },
  { name: 'the list', address: '/', last: ['main li a[href^="/s/"]'] },
  {
    name: 'usage',
    address: '/usage',
    last: ['#repeated', '[aria-labelledby=repeated] li, [aria-labelledby=repeated] p'],
  },
  { name: 'rejected alerts', address: '/rejected', last: ['#dropped', '[aria-labelledby=dropped] li'] },
];

describeInBrowser('a page that loads slowly', () => {
  // Most of its seconds the pages wait for their files, together.
  it.each([
    { width: 1440, options: {} },
    { width: 390, options: PHONE },
  ])('moves nothing that is shown, $width px wide', async ({ options }) => {
    const shifts = LOADED.map(async ({ name, of, address, last }) => {
      const session = moveToNow((of ?? ended)());
      const site = await startSite([session], { bytesPerSecond: 60_000 });
      const { page } = await open(site, '/unknown', options);
      await openAndRecordShifts(page, site.url + (address ?? addressOf(session)));
      for (const selector of last) await page.locator(selector).first().waitFor();
      // The few steps of a session that waits can come after its card, on a busy machine.
      // The bar at the bottom of a phone moves once, by 18 pixels, while the width of a new page is found.
      const found = (await readShifts(page)).filter(
        (shift) => Number.parseFloat(shift) >= (of === waiting ? 0.05 : 0.002),
      );
      return found.map((shift) => `${name}: ${shift}`);
    });
    expect((await Promise.all(shifts)).flat()).toEqual([]);
  });
});

const readBox = async (page: Page, selector: string) => {
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
    // Their end: they have no scroll bar of their own.
    const { y, height } = await readBox(page, '#facts');
    expect(y + height).toBeGreaterThan(700);
    expect(y + height).toBeLessThanOrEqual(900);
    expect(await page.locator('#facts').evaluate((facts) => getComputedStyle(facts).overflowY)).toBe(
      'visible',
    );
  });

  it('has sub-agents right of and below the call that asked them, which has the answer, and bars in the colour of its confidence', async () => {
    const session = team();
    const { page } = await open(await startSite([session]), addressOf(session));
    await page.locator('[id="e-01-lead.4"]').waitFor();
    const asked = await readBox(page, '[id="e-01-lead.2"]');
    const child = await readBox(page, '[id="e-01-lead~1.2"]');
    expect(child.x).toBeGreaterThan(asked.x);
    const answer = await readBox(page, '[id="e-01-lead.2"] [id="found-01-lead~1"]');
    expect(answer.y + answer.height).toBeLessThan(child.y);
    const colorOf = (level: string) =>
      page.locator('#analysis [data-level]').evaluate((mark, value) => {
        mark.setAttribute('data-level', value);
        return getComputedStyle(mark.querySelector('[data-on=true]') as Element).fill;
      }, level);
    const colors = [await colorOf('high'), await colorOf('medium'), await colorOf('low')];
    expect(new Set(colors).size).toBe(3);
  });

  it('shows the answer of a sub-agent at its call, on one line while the row was there before, and whole on a click', async () => {
    const session = team();
    const ending = documentsOf(session).filter(({ path }) => /\/(stages|executions)\//.test(path));
    const lead = session.executions.find(({ executionId }) => executionId === '01-lead');
    const child = session.executions.find(({ executionId }) => executionId === '01-lead~1');
    if (!lead || !child?.finalAnalysis) throw new Error('the session has no answer');
    const answer = child.finalAnalysis.slice(0, 40);
    const none = { status: 'active' as const, endedAt: null, finalAnalysis: null };
    Object.assign(session.session, { status: 'in_progress', endedAt: null, finalAnalysis: null });
    Object.assign(lead, none);
    Object.assign(child, none);
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const row = page.locator('[id="e-01-lead.2"]');
    await row.getByText('Running').waitFor();
    const before = await readBox(page, '[id="e-01-lead.2"]');
    await site.api.change(session.session.sessionId, { steering: { ...NOT_STEERED, events: 9 } }, ending);
    await row.getByText(answer).waitFor();
    expect((await readBox(page, '[id="e-01-lead.2"]')).height).toBe(before.height);
    await row.getByRole('button').first().click();
    await row.getByRole('region', { name: 'Answer of log-reader' }).waitFor();
  });

  it('folds the lanes of agents that have ended to head and finding on a phone, also while others run', async () => {
    const session = many();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), PHONE);
    await expect.poll(() => page.locator('#steps article[data-folded=true]').count()).toBe(40);
    expect((await readBox(page, '#steps article')).height).toBeLessThan(100);
    const other = running();
    const { page: second } = await open(await startSite([other]), addressOf(other), PHONE);
    await second.locator('#steps article').nth(1).waitFor();
    const folded = await second
      .locator('#steps article')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.folded));
    expect(folded).toEqual(['true', 'false']);
  });

  it('that is a deferred check names its schedule, takes no guidance, and is started by its button', async () => {
    const session = ended();
    const { createdAt: slot } = session.session;
    Object.assign(session.session, {
      ...{ status: 'deferred', endedAt: null, finalAnalysis: null, executiveSummary: null, kind: 'check' },
      deferral: { reason: 'triage', startedAt: null, until: null },
      parts: {
        ...session.session.parts,
        check: {
          ...{ checkId: 'nightly-1', schedule: 'nightly', slot, delivers: 'changed' },
          ...{ question: 'Did the <b>backups</b> succeed?', result: 'attention', previous: 'healthy' },
        },
      },
    });
    const site = await startSite([session]);
    const { page } = await open(site, '/?show=checks');
    await page.locator('main li bdi', { hasText: /^check$/ }).waitFor();
    await page.goto(`${site.url}${addressOf(session)}`);
    await page.getByText('check of the schedule nightly').waitFor();
    expect(await page.getByRole('region', { name: 'Check', exact: true }).innerText()).toMatch(
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
    const alert = readSessionAlert(session.session);
    if (alert === null) throw new Error('the session has no alert');
    Object.assign(alert.labels, { namespace: 'n'.repeat(400), service: 's'.repeat(400) });
    const site = await startSite([session]);
    const { page } = await open(site, '/', { viewport: { width: 1024, height: 768 } });
    const { x, width } = await readBox(page, 'main li [data-status=limited]');
    expect(x + width).toBeLessThanOrEqual((await readBox(page, 'main li a[href^="/s/"]')).x);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(`${site.url}${addressOf(session)}`);
    await page.locator('[data-place]').waitFor();
    expect((await readBox(page, '#analysis')).y).toBeLessThan(400);
  });

  it('counts nothing before the list is read, and shows where a reader is among the pages', async () => {
    const site = await startSite([ended()]);
    const { page } = await open(site, '/usage', PHONE);
    const { x, width } = await readBox(page, 'nav a[aria-current]');
    const nav = await readBox(page, 'nav[aria-label=Pages]');
    expect(x + width).toBeLessThanOrEqual(nav.x + nav.width);
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/v1\/sessions\?/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(site.url);
    await page.getByText('Loading …').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/\b0\b/);
    const slow = page.getByText('This takes longer than usual …');
    expect(await slow.isVisible()).toBe(false);
    await slow.waitFor();
    resolve();
    await page.getByText('0 need approval').waitFor();
    expect(await slow.count()).toBe(0);
  });

  it('does not load a list that failed, and states when the code of a page is slow', async () => {
    const site = await startSite([ended()]);
    site.state.refusal = 500;
    const { page } = await open(site, '/');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Loading');
    await page.route(/UsagePage.*js/, () => new Promise<void>(() => undefined));
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('This takes longer than usual …').waitFor();
  });
});
