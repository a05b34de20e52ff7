// The page of alerts: outcomes, rules with their lines, fixes and links; texts of alerts stay text.

import { expect, it } from 'vitest';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended, running } from './support/sessions.ts';

describeInBrowser('the page of alerts', () => {
  it('shows each alert with its rule, line and fix, filters them, and links to the session and back', async () => {
    const { page, faults } = await open(await startSite([]), '/alerts');
    const items = page.locator('main ol > li');
    await expect.poll(() => items.count()).toBe(6);
    const dropped = items.filter({ hasText: 'Dropped' });
    expect(await dropped.innerText()).toContain('triage.yaml:12');
    expect(await dropped.innerText()).toContain('<img src=x onerror=alert(1)>');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await listViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Joined' }).click();
    await expect.poll(() => items.count()).toBe(2);
    expect(await items.first().getByRole('link', { name: '3f2a1c' }).getAttribute('href')).toMatch(
      /^\/s\/2026-/,
    );
    expect(faults).toEqual([]);
  });

  it('is reached from the alert of a session, and fits a phone', async () => {
    const session = ended();
    const { page } = await open(await startSite([session]), addressOf(session), PHONE);
    const link = page.getByRole('link', { name: 'Alerts of this session' });
    await link.waitFor({ state: 'attached' });
    expect(await link.getAttribute('href')).toBe(`/alerts?session=${session.session.sessionId}`);
    await page.goto(new URL('/alerts', page.url()).href);
    // The alert of the session is one more while it is young.
    await expect.poll(() => page.locator('main ol > li').count()).toBeGreaterThanOrEqual(6);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await listViolations(page)).toEqual([]);
  });

  it('splits off a joined alert and merges the session, after a confirmation, and states why it cannot', async () => {
    const session = running();
    const id = '2026-11-22-checkout-slow-3f2a1c';
    // No fixture has the session of these alerts.
    const sent = { alertKey: 'key-1', messageId: 'message-1', outcome: 'done', status: null };
    const answers = { [`POST /v1/sessions/${id}/split`]: sent, [`POST /v1/sessions/${id}/merge`]: sent };
    const site = await startSite([ended(), session], { answers });
    const { page, faults } = await open(site, `/alerts?session=${id}`);
    const splits = page.getByRole('button', { name: 'Split off …' });
    await splits.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Checkout queue long leaves session 3f2a1c').waitFor();
    expect(await splits.count()).toBe(1);
    expect(await listViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Split off' }).click();
    await page.getByText('The alert has left this session').waitFor();
    await page.getByRole('button', { name: 'Merge into another session …' }).click();
    await dialog.getByText('ends as cancelled').waitFor();
    const choice = dialog.getByRole('combobox');
    await expect.poll(() => choice.inputValue()).toBe(session.session.sessionId);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await listViolations(page)).toEqual([]);
    const detail = 'session x takes no alerts (completed): it has concluded or waits for a user';
    const json = { code: 'SESSION_STATE', status: 409, detail, title: 'SESSION_STATE' };
    await page.route('**/merge', (route) => route.fulfill({ status: 409, json }), { times: 1 });
    const confirm = dialog.getByRole('button', { name: 'Merge and cancel 3f2a1c' });
    await confirm.click();
    await dialog.getByText(detail).waitFor();
    await dialog.getByRole('textbox').fill('https://inquest.example.com/s/2026-11-23-disk-full-aaaaaa/ask');
    await confirm.click();
    await page.getByText('is merged into session 2026-11-23-disk-full-aaaaaa').waitFor();
    expect(site.api.posted).toEqual([
      { path: `/v1/sessions/${id}/split`, body: { messageId: '186' } },
      { path: `/v1/sessions/${id}/merge`, body: { into: '2026-11-23-disk-full-aaaaaa' } },
    ]);
    expect(faults).toEqual([]);
  });

  it('offers a viewer neither', async () => {
    const site = await startSite([ended()], { me: { name: 'kim', role: 'viewer' } });
    const { page } = await open(site, '/alerts?session=2026-11-22-checkout-slow-3f2a1c');
    await page.getByText('Checkout queue long').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Split off|Merge into/ }).count()).toBe(0);
  });
});
