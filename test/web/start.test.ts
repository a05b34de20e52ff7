// An investigation that is started from the page.

import { expect, it } from 'vitest';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { ended } from './support/sessions.ts';

/** No installation reads what the API publishes. */
const SENT = { alertKey: 'key-1', messageId: 'message-1' };

describeInBrowser('the first run', () => {
  it('sends the example alert from an empty list, and fills it in where an alert is written', async () => {
    const exampleAlert = '{"title":"Test alert of inquest init"}';
    const answers = { 'POST /v1/alerts': SENT };
    const site = await startSite([], { exampleAlert, answers });
    const { page, faults } = await open(site, '/');
    const coming = {
      alert: { title: 'Test <b>alert</b>', severity: 'info' },
      investigated: true,
      chain: 'investigate',
      stages: [{ name: 'look', agents: ['reader'] }],
    };
    await page.route('**/v1/alerts/preview', (route) => route.fulfill({ json: coming }));
    await page.route('**/v1/alerts/key-1', (route) =>
      route.fulfill({ json: { outcome: 'opened', sessionId: 'the-first', reason: null } }),
    );
    await page.reload();
    const shown = page.getByText('The example, test-alert.json of your configuration');
    await expect
      .poll(() => shown.innerText())
      .toContain(
        'Test <b>alert</b>, severity info. The chain investigate would investigate it: look (reader).',
      );
    await page.getByRole('button', { name: 'chain' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('[popover]:popover-open').innerText()).toContain(
      'The stages of an investigation',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Send the example alert' }).click();
    await page.getByText('The alert opened its session.').waitFor();
    expect(await page.getByRole('link', { name: 'its session' }).getAttribute('href')).toBe('/s/the-first');
    expect(site.api.posted.slice(-1)).toEqual([{ path: '/v1/alerts', body: exampleAlert }]);
    expect(await listViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'New investigation' }).click();
    await page.getByRole('button', { name: 'Fill in an example' }).click();
    const field = page.getByLabel('An alert as its source sends it');
    await expect.poll(() => field.inputValue()).toBe(exampleAlert);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('a new investigation', () => {
  it('is previewed without being sent, then sent to the selected chain, and opens its session', async () => {
    const session = ended();
    const opened = { outcome: 'opened', sessionId: session.session.sessionId, reason: null };
    const answers = { 'POST /v1/alerts': SENT, 'GET /v1/alerts/key-1': opened };
    const site = await startSite([session], { answers });
    const { page, faults } = await open(site, '/');
    await page.getByRole('link', { name: 'New investigation' }).click();
    const alert = '{"title":"<b>Oom</b>","labels":{"namespace":"shop","service":"checkout"}}';
    const send = page.getByRole('button', { name: 'Send as an alert' });
    await page.getByLabel('An alert as its source sends it').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel('An alert as its source sends it').fill(alert);
    const chain = page.getByLabel('Chain');
    await expect.poll(() => chain.locator('option').count()).toBeGreaterThan(1);
    const name = (await chain.locator('option').nth(1).textContent()) ?? '';
    await chain.selectOption(name);
    await page.getByRole('button', { name: 'Preview the alert' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.waitFor();
    expect(await preview.innerText()).toMatch(
      /Nothing was sent.*It would be investigated.*shop\/checkout.*kubernetes-investigator/s,
    );
    expect(site.api.posted).toEqual([{ path: `/v1/alerts/preview?chain=${name}`, body: alert }]);
    expect(await listViolations(page)).toEqual([]);
    const found = '**/v1/alerts/key-1';
    const joined = { outcome: 'joined', sessionId: 'the-first', reason: null };
    await page.route(found, (route) => route.fulfill({ json: joined }));
    await send.click();
    const link = page.getByRole('link', { name: 'a session about the same problem' });
    await expect.poll(() => link.getAttribute('href')).toBe('/s/the-first');
    expect(await listViolations(page)).toEqual([]);
    await page.unroute(found);
    await page.getByLabel('An alert as its source sends it').fill(alert);
    await send.click();
    await page.waitForURL(`**/s/${session.session.sessionId}`);
    expect(site.api.posted.slice(2)).toEqual([{ path: `/v1/alerts?chain=${name}`, body: alert }]);
    expect(faults).toEqual([]);
  });
});
