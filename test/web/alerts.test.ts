// The page of alerts: outcomes, rules with their lines, fixes and links; texts of alerts stay text.

import { expect, it } from 'vitest';
import { violationsOf } from './support/axe.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended } from './support/sessions.ts';

describeInBrowser('the page of alerts', () => {
  it('shows each alert with its rule, line and fix, filters them, and links to the session and back', async () => {
    const { page, faults } = await open(await startSite([ended()]), '/alerts');
    const items = page.locator('main ol > li');
    await expect.poll(() => items.count()).toBe(5);
    const dropped = items.filter({ hasText: 'Dropped' });
    expect(await dropped.innerText()).toContain('triage.yaml:12');
    expect(await dropped.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Joined' }).click();
    await expect.poll(() => items.count()).toBe(1);
    expect(await items.getByRole('link', { name: '3f2a1c' }).getAttribute('href')).toMatch(/^\/s\/2026-/);
    expect(faults).toEqual([]);
  });

  it('is reached from the alert of a session, and fits a phone', async () => {
    const session = ended();
    const { page } = await open(await startSite([session]), addressOf(session), PHONE);
    const link = page.getByRole('link', { name: 'Alerts of this session' });
    await link.waitFor({ state: 'attached' });
    expect(await link.getAttribute('href')).toBe(`/alerts?session=${session.row.sessionId}`);
    await page.goto(new URL('/alerts', page.url()).href);
    await expect.poll(() => page.locator('main ol > li').count()).toBe(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page)).toEqual([]);
  });
});
