// Who looks: a viewer, somebody who is signed out, and somebody whose page is older than the server.

import { expect, it } from 'vitest';
import { IS_LONG } from '../support/fullTests.ts';
import { describeInBrowser, disconnectUntilPressed, open, startSite } from './support/chromium.ts';
import { addressOf, ended, running, waiting } from './support/sessions.ts';

const VIEWER = { me: { name: 'kim@example.com', role: 'viewer' } } as const;

describeInBrowser('a viewer', () => {
  it('sees the question, and the roles that can decide', async () => {
    const session = waiting();
    const site = await startSite([session], VIEWER);
    const { page } = await open(site, addressOf(session));
    await page.getByText('Only responders and admins can decide. Your role is viewer.').waitFor();
    const card = page.locator('[data-approval]');
    expect(await card.innerText()).toContain('restart_deployment');
    expect(await card.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Cancel|Pause|Send/ }).count()).toBe(0);
  });

  it('is offered nothing that the API would refuse', async () => {
    const session = ended();
    const site = await startSite([session], VIEWER);
    const { page } = await open(site, addressOf(session, '/ask'));
    await page.getByText('Only responders and admins can ask. Your role is viewer.').waitFor();
    expect(await page.getByRole('button', { name: /Run again|^Ask|Right|Wrong/ }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'question' }).count()).toBe(0);
  });
});

describeInBrowser('a session that is followed', () => {
  it('asks to sign in when the API does not know the reader any more, and keeps the typed text', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const field = page.getByLabel('Guidance for the agents');
    await field.fill('It was rolled back at 09:40');
    site.state.refusal = 401;
    site.api.cut();
    await page.getByText('You are signed out.').waitFor();
    // The page that signs in loads again. Before that, a read that the API answers would end the notice.
    await page.route(`${site.url}/s/*`, (route) => {
      site.state.refusal = 0;
      return route.continue();
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => field.inputValue()).toBe('It was rolled back at 09:40');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('You are signed out.').waitFor({ state: 'detached' });
  });

  it.each(IS_LONG ? [400, 410, 431] : [410])(
    'is read again when its place in the stream is refused with %i, and stays as it was folded',
    async (status) => {
      const session = running();
      const site = await startSite([session]);
      const { page, faults } = await open(site, addressOf(session));
      await page.getByText('Live', { exact: true }).waitFor();
      const block = page.locator('#steps button[data-iteration]').first();
      await block.click();
      let refused = 0;
      await page.route(/\/events(\?|$)/, async (route) => {
        if (refused > 0 || route.request().headers()['last-event-id'] === undefined) return route.continue();
        refused++;
        const problem = { code: 'REQUEST_INVALID', status, title: 'refused', detail: 'no such place' };
        return route.fulfill({
          status,
          contentType: 'application/problem+json',
          body: JSON.stringify(problem),
        });
      });
      site.api.cut();
      await expect.poll(() => refused).toBe(1);
      const [last] = session.events.slice(-1);
      if (last === undefined) throw new Error('the session has no events');
      const text = 'It came behind the place that was refused.';
      await page.getByText('Live', { exact: true }).waitFor();
      await site.api.push({
        ...last,
        sequenceNumber: 900,
        eventType: 'llm_response',
        content: text,
        status: 'completed',
        iteration: 3,
        metadata: {},
      });
      await page.getByText(text).waitFor();
      await expect.poll(() => block.getAttribute('aria-expanded')).toBe('false');
      expect(faults).toEqual([]);
    },
  );

  it('announces a newer version when the server came back with one, and never reloads automatically', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByText('Live', { exact: true }).waitFor();
    await disconnectUntilPressed(page, site);
    await page.getByText('Connection lost.').waitFor();
    site.state.index = (html) => html.replace(/index-[\w-]+\.js/, 'index-another.js');
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('A new version is available.').waitFor();
    delete site.state.index;
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('A new version is available.').waitFor({ state: 'detached' });
  });
});
