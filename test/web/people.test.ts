// The work of people on a session: claims, actions, reviews, the messages of the model, and notifications.

import { expect, it } from 'vitest';
import type { ApprovalStatus } from '../../shared/core/schema/approval.ts';
import { approvalType, paths } from '../../shared/lists/documents.ts';
import { stored } from '../../web/dev/fixtures.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { addressOf, ended, waiting } from './support/sessions.ts';

describeInBrowser('people', () => {
  it('claim a session, record actions and review its analysis with the cause that they know', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const panel = page.getByRole('region', { name: 'People' });
    await panel.waitFor();
    const order = ['Verdict', 'What changed', 'People', 'Alert', 'Messages', 'Time', 'Cost'];
    const panels = await page.locator('#facts h2').allInnerTexts();
    expect(panels.filter((name) => order.includes(name))).toEqual(
      order.filter((name) => panels.includes(name)),
    );
    expect(panels[0]).toBe('Verdict');
    const owner = page.getByRole('group', { name: 'Owner' });
    await owner.getByText('Not claimed').waitFor();
    await owner.getByRole('button', { name: 'Claim' }).click();
    await owner.getByText('local works on it', { exact: true }).waitFor();
    expect(await panel.getByRole('button', { name: 'Add action' }).isDisabled()).toBe(true);
    await panel.getByRole('textbox').fill('Rolled back <b>checkout</b>');
    await panel.getByRole('button', { name: 'Add action' }).click();
    await panel.getByText('Rolled back <b>checkout</b>').waitFor();
    expect(await panel.getByRole('textbox').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Partly' }).click();
    await page.getByLabel('Failed component').fill('checkout');
    await page.getByLabel('Failure mechanism').fill('memory');
    await page.getByRole('button', { name: 'Store the review' }).click();
    await page.getByText('Feedback stored.').waitFor();
    await panel.getByText('Cause: memory of checkout').waitFor();
    await owner.getByRole('button', { name: 'Resolve …' }).click();
    await page.getByLabel('What resolved it (optional)').fill('A rollback');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await owner.getByText('Resolved by local').waitFor();
    await panel.getByText('A rollback').waitFor();
    expect(site.api.posted.map(({ body }) => body)).toEqual([
      { kind: 'claim', seen: 0 },
      { kind: 'action', seen: 1, text: 'Rolled back <b>checkout</b>' },
      {
        kind: 'review',
        seen: 2,
        review: { rating: 'partly', cause: { component: 'checkout', mechanism: 'memory' } },
      },
      { kind: 'resolve', seen: 3, text: 'A rollback' },
    ]);
    expect(await listViolations(page)).toEqual([]);
    await page.goto(site.url);
    await page.getByText('reviewed: partly right').waitFor();
    await page.locator('main li').getByText('resolved by local').waitFor();
    await site.api.count();
    await page.goto(`${site.url}/usage`);
    const row = page.getByRole('region', { name: 'Table of reviews' }).locator('tbody tr');
    expect((await row.innerText()).split('\t')).toEqual([
      'investigate',
      'gemini-3.8-flash',
      'confirmed',
      '1',
      '0',
      '1',
      '0',
      '0',
      '–',
      '–',
      '–',
    ]);
    expect(await listViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the messages of an agent', () => {
  it('are shown as text, by iteration, with a link from the facts of the call', async () => {
    const session = ended();
    const result = session.others.find(({ path }) => path.endsWith('.000008'))?.data.blocks;
    if (!Array.isArray(result)) throw new Error('the session has no such message');
    result[0].textContent = 'connection refused by <b>checkout</b>\n'.repeat(60);
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.getByRole('button', { name: 'Tokens and cost' }).click();
    await page.getByRole('link', { name: 'Messages' }).nth(1).click();
    await page.waitForURL(/\/messages\/[^/]+#i-2$/);
    await page.getByText('<data-').first().waitFor();
    expect(await page.locator('#i-2').innerText()).toContain('google/gemini-3.8-flash');
    const long = page.getByText('connection refused by <b>checkout</b>');
    await page.locator('summary', { hasText: 'connection refused' }).click();
    expect(await long.nth(1).isVisible()).toBe(true);
    expect(await listViolations(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('a notification', () => {
  it('is sent only after opting in and while the page is hidden, without text of an agent', async () => {
    const session = waiting();
    const { sessionId } = session.session;
    const approvals = session.approvals.splice(0);
    const site = await startSite([session]);
    const { page, faults } = await open(site, '/missing');
    await page.addInitScript(() => {
      const shown: string[] = [];
      class Shown {
        static permission = 'default';
        static requestPermission = async () => 'granted';
        constructor(title: string, { body }: { body: string }) {
          shown.push(`${title} ${body}`);
        }
        close() {}
      }
      Object.assign(window, { shown, Notification: Shown });
    });
    await page.clock.install();
    await page.goto(site.url);
    const setHidden = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
      }, hidden);
    const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    let requests = 0;
    const request = (status: ApprovalStatus) => {
      const changed = approvals.map((one) =>
        stored(paths.approval(one.approvalId), approvalType, { ...one, status }),
      );
      return site.api.change(sessionId, { executiveSummary: `Request ${++requests}` }, changed);
    };
    const ask = async () => {
      await request('pending');
      await page.getByText('1 needs approval').waitFor();
    };
    const withdraw = async () => {
      await request('expired');
      await page.getByText('0 need approval').waitFor();
    };
    await page.getByText('0 need approval').waitFor();
    await setHidden(true);
    await ask();
    await withdraw();
    await setHidden(false);
    const bell = page.getByRole('button', { name: 'Notify me of approvals' });
    await bell.click();
    expect(await bell.getAttribute('aria-pressed')).toBe('true');
    await ask();
    await withdraw();
    expect(await shown()).toEqual([]);
    await setHidden(true);
    // After 30 s a hidden page without notifications loses its stream.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.clock.fastForward(31_000);
    await ask();
    expect(await shown()).toEqual(['Inquest: approval required An agent requests to run a tool.']);
    expect(faults).toEqual([]);
  });
});
