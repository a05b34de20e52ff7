// What people do: approve and deny, tell, ask, cancel; with keys; and what stays as they left it.

import { expect, it } from 'vitest';
import { rerunPart } from '../../shared/alerts/schema/rerun.ts';
import type { Approval } from '../../shared/core/schema/approval.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import { NOT_STEERED } from '../../shared/core/schema/session.ts';
import { approvalType, paths } from '../../shared/lists/documents.ts';
import { type SessionFixture, stored } from '../../web/dev/fixtures.ts';
import { describeInBrowser, isInView, open, startSite } from './support/chromium.ts';
import { addressOf, ended, long, parallel, running, waiting } from './support/sessions.ts';

const DENIED = {
  status: 'denied',
  decidedBy: 'kim',
  decidedAt: new Date(),
  reason: 'not now',
} as const;
/** Followers of a session are told of each change of its document. */
const STEERED = { steering: { ...NOT_STEERED, events: 9 } };

/** The documents of the approvals of a session, changed. */
const listApprovals = ({ approvals }: ReturnType<typeof waiting>, part: Partial<Approval>) =>
  approvals.map((one) => stored(paths.approval(one.approvalId), approvalType, { ...one, ...part }));

describeInBrowser('an approval', () => {
  it('takes two acts, and no key approves', async () => {
    const session = waiting();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const card = page.locator('[data-approval]');
    await card.waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await card.innerText()).toMatch(/namespace\s+shop\s+name\s+checkout/);
    for (const key of ['Enter', 'a', 'y', 'Space']) await page.keyboard.press(key);
    await page.getByRole('button', { name: /^Approve once/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.innerText()).toMatch(/namespace\s+shop\s+name\s+checkout/);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Deny');
    expect(site.api.posted).toEqual([]);
    await dialog.getByRole('button', { name: 'Run restart_deployment' }).click();
    await card.getByText('Approved. The tool is running.').waitFor();
    expect(site.api.posted.map(({ body }) => body)).toEqual([{ verdict: 'approved' }]);
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('that was decided meanwhile names the person', async () => {
    const session = waiting();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('[data-approval]').waitFor();
    await page.route('**/v1/approvals/*', async (route) => {
      await site.api.put(listApprovals(session, DENIED));
      return route.continue();
    });
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await expect
      .poll(() => page.locator('[data-approval]').innerText())
      .toContain('Already decided by kim: denied (not now).');
  });

  it('that was decided while an answer is under way keeps its card, and names the person', async () => {
    const session = waiting();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const card = page.locator('[data-approval]');
    await card.waitFor();
    const { promise: seen, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/v1/approvals/*', async (route) => {
      await seen;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await site.api.change(session.session.sessionId, STEERED, listApprovals(session, DENIED));
    // The page has read the decision before its own is answered.
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
    letGo();
    await card.getByText('Already decided by kim: denied (not now).').waitFor();
  });

  it('that is closed while its dialog is open states so', async () => {
    const session = waiting();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('[data-approval]').waitFor();
    await page.getByRole('button', { name: /^Deny with a reason/ }).click();
    const why = page.getByLabel('Reason, sent to the agent');
    await why.fill('It serves customers');
    await site.api.change(session.session.sessionId, STEERED, listApprovals(session, { status: 'expired' }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Expired: the call was denied.').waitFor();
    expect(await why.inputValue()).toBe('It serves customers');
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Close']);
  });

  it('shows arguments of any size whole', async () => {
    const session = waiting();
    const [approval] = session.approvals;
    const text = 'x'.repeat(20_000);
    Object.assign(approval ?? {}, { arguments: JSON.stringify({ patch: text, after: 'end' }) });
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await expect.poll(() => page.locator('[data-approval] dd').allInnerTexts()).toEqual([text, 'end']);
  });

  it('is announced at once, and stands first in the list', async () => {
    const session = waiting();
    const requested = listApprovals(session, {});
    session.approvals = [];
    const site = await startSite([session, parallel()]);
    const { page } = await open(site, addressOf(session));
    await page.getByRole('heading', { name: 'Steps' }).waitFor();
    await site.api.change(session.session.sessionId, STEERED, requested);
    await expect.poll(() => page.locator('[role=alert]').first().innerText()).toContain('Approval required');
    await page.goto(`${site.url}/`);
    const first = page.locator('main li').first();
    await expect.poll(() => first.innerText()).toContain('Needs approval');
    await expect
      .poll(() => first.innerText())
      .toContain('deployment-repairer requests to run restart_deployment.');
  });
});

/** As if the alert of an act had opened a session: no installation reads what the API publishes. */
const opensAt = (act: string, { session }: SessionFixture, opened: SessionFixture) => ({
  [`POST /v1/sessions/${session.sessionId}/${act}`]: { alertKey: 'key-1', messageId: 'message-1' },
  'GET /v1/alerts/key-1': { outcome: 'opened', sessionId: opened.session.sessionId, reason: null },
});

describeInBrowser('acts', () => {
  it('guide the agents, and keep the typed text until it is sent', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const field = page.getByLabel('Guidance for the agents');
    await field.fill('It was rolled back at 09:40');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('It was rolled back at 09:40');
    await field.press('Enter');
    await page.getByText('Sent.').waitFor();
    expect(site.api.posted.at(-1)?.body).toEqual({ text: 'It was rolled back at 09:40' });
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });

  it('cancel only after a question', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const confirm = page.getByRole('button', { name: 'Cancel the session' });
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await confirm.waitFor();
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'hidden' });
    expect(site.api.posted).toEqual([]);
    await page.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByLabel('Reason (optional)').fill('the sale is over');
    await confirm.click();
    await page.getByText('Cancelling').first().waitFor();
    expect(site.api.posted).toEqual([
      { path: `/v1/sessions/${session.session.sessionId}/cancel`, body: { reason: 'the sale is over' } },
    ]);
  });

  it('run again with a selected chain, and copy a summary from a menu that closes', async () => {
    const [session, opened] = [ended(), parallel()];
    opened.session = withPart(rerunPart, opened.session, { of: session.session.sessionId });
    const site = await startSite([opened, session], { answers: opensAt('rerun', session, opened) });
    const { page } = await open(site, addressOf(session));
    const summary = page.getByRole('button', { name: /Copy as summary/ });
    const menu = page.locator('summary', { hasText: 'Export' });
    const leave = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('heading', { level: 1 }).click(),
      () => page.getByRole('button', { name: /^Run again/ }).focus(),
    ];
    for (const close of leave) {
      await menu.click();
      await summary.waitFor();
      await close();
      await summary.waitFor({ state: 'hidden' });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await menu.click();
    await summary.click();
    await menu.click();
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: /^Run again/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Chain').selectOption('kubernetes');
    await dialog.getByRole('button', { name: 'Run again' }).click();
    await expect
      .poll(() => site.api.posted)
      .toEqual([{ path: `/v1/sessions/${session.session.sessionId}/rerun`, body: { chain: 'kubernetes' } }]);
    await page.waitForURL(`**${addressOf(opened)}`);
    await page.getByRole('link', { name: 'compare', exact: true }).click();
    await page.waitForURL(`**/compare?a=${opened.session.sessionId}&b=${session.session.sessionId}`);
  });

  it('ask with Enter, and break the line with Shift and Enter', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session, '/ask'));
    const field = page.getByPlaceholder('Why did it start at 09:12?');
    await field.pressSequentially('Why');
    await field.press('Shift+Enter');
    await field.pressSequentially('now?');
    await field.press('Enter');
    await expect.poll(() => site.api.posted.at(-1)?.body).toEqual({ text: 'Why\nnow?', watch: true });
    await expect.poll(() => field.inputValue()).toBe('');
  });
});

describeInBrowser('code that a page loads later', () => {
  it.each(['the button', 'the network'])('is loaded again after a failure: by %s', async (how) => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, '/');
    const chunk = '**/assets/SidePanel-*.js';
    await page.route(chunk, (route) => route.abort());
    await page.goto(`${site.url}${addressOf(session)}`);
    const failure = page.getByText('The facts could not be loaded.');
    await failure.waitFor();
    await page.unroute(chunk);
    if (how === 'the network') await page.evaluate(() => dispatchEvent(new Event('online')));
    else await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Alert', exact: true }).waitFor();
    expect(await failure.count()).toBe(0);
  });
});

describeInBrowser('keys', () => {
  it('move among steps and iterations, unfold, search and go back to the list', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.locator('#steps [data-row]').first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
    await page.keyboard.press('j');
    await expect.poll(focused).not.toBe('');
    const first = await focused();
    await page.keyboard.press('j');
    await expect.poll(focused).not.toBe(first);
    await page.keyboard.press('k');
    await expect.poll(focused).toBe(first);
    await page.keyboard.press('i');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-iteration')))
      .toBe(true);
    while (!(await page.evaluate(() => document.activeElement?.textContent?.includes('get_logs'))))
      await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.locator('[role=region][aria-label^=Result]').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('jokes');
    await expect.poll(() => page.getByLabel('Search in steps').inputValue()).toBe('jokes');
    // Escape leaves the field: the next keys are not typed there.
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByText('No errors').waitFor();
    await page.keyboard.press('l');
    await page.getByText('Link copied').waitFor();
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(site.api.posted).toEqual([]);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the table of keys', () => {
  it('holds row by row', async () => {
    const session = parallel();
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session), {
      viewport: { width: 1440, height: 400 },
    });
    await page.locator('#steps article').nth(1).waitFor();
    const press = (key: string) => page.keyboard.press(key);
    const active = () =>
      page.evaluate(() => {
        const { id, dataset, textContent, ariaPressed } = document.activeElement as HTMLElement;
        return { id, isIteration: 'iteration' in dataset, text: textContent ?? '', ariaPressed };
      });
    const label = () => page.evaluate(() => document.activeElement?.closest('article')?.ariaLabel ?? '');
    expect(await isInView(page, '#steps-title')).toBe(false);
    await press('g');
    await press('s');
    await expect.poll(() => isInView(page, '#steps-title')).toBe(true);
    await press(']');
    await expect.poll(label).not.toBe('');
    const first = await label();
    await press(']');
    await expect.poll(label).not.toBe(first);
    await press('[');
    await expect.poll(label).toBe(first);
    await press('i');
    await expect.poll(active).toMatchObject({ isIteration: true });
    const { text } = await active();
    await press('i');
    await expect.poll(active).not.toMatchObject({ text });
    await press('Shift+I');
    await expect.poll(active).toMatchObject({ text });
    await press('Enter');
    const unfolded = page.locator('#steps button[data-iteration][aria-expanded=true]');
    await expect.poll(() => unfolded.count()).toBeGreaterThan(0);
    await press('Shift+O');
    const folded = page.locator('#steps button[data-iteration][aria-expanded=false]');
    await expect.poll(() => folded.count()).toBe(0);
    await press('j');
    await press('j');
    const row = await active();
    await press('l');
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(`${site.url}${addressOf(session)}#${row.id}`);
    await press('Enter');
    await page.locator(`[id="${row.id}"] [aria-expanded=true]`).first().waitFor();
    await press('f');
    await expect.poll(active).not.toMatchObject({ ariaPressed: null });
    await press('g');
    await press('a');
    await expect.poll(() => isInView(page, '#analysis-title')).toBe(true);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByLabel('Enable single-key shortcuts').uncheck();
    await page.getByRole('button', { name: 'Close' }).click();
    await press('f');
    await press('/');
    expect((await active()).id).not.toBe('search');
    expect(site.api.posted).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('visits errors with e, both ways, and a dot follows a session that runs', async () => {
    const session = long();
    const site = await startSite([session, running()]);
    const { page } = await open(site, addressOf(session));
    await page.locator('[data-iteration]').nth(199).waitFor();
    const id = () => page.evaluate(() => document.activeElement?.id ?? '');
    await page.keyboard.press('e');
    await expect.poll(id).not.toBe('');
    const first = await id();
    await page.keyboard.press('e');
    await expect.poll(id).not.toBe(first);
    await page.keyboard.press('Shift+E');
    await expect.poll(id).toBe(first);
    await page.goto(`${site.url}${addressOf(running())}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.setViewportSize({ width: 1440, height: 400 });
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    const end = () =>
      page.evaluate(() => document.getElementById('steps-end')?.getBoundingClientRect().top ?? 0);
    await expect.poll(end).toBeLessThanOrEqual(400);
  });
});

describeInBrowser('what a reader chose', () => {
  it('stands in the address: filters, search, the open step', async () => {
    const session = ended();
    const site = await startSite([session, parallel()]);
    const { page } = await open(site, addressOf(session));
    await page.getByRole('button', { name: /^Tools/ }).click();
    await page.getByLabel('Search in steps').fill('rollout');
    const rows = () => page.locator('#steps [data-row]').count();
    await expect.poll(rows).toBe(2);
    await expect.poll(() => page.url()).toMatch(/(?=.*show=tools)(?=.*rollout)/);
    await page.reload();
    await expect.poll(rows).toBe(2);
    await page.goto(`${site.url}/?q=nothing%20like%20it`);
    await page.getByRole('button', { name: /remove/ }).click();
    await expect.poll(() => page.locator('main li').count()).toBe(2);
  });

  it('is how the page looks, too', async () => {
    const site = await startSite([ended()]);
    const { page } = await open(site, '/', { colorScheme: 'light' });
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await page.reload();
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expect.poll(background).toBe('rgb(14, 17, 22)');
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(['inquest.theme']);
  });
});

describeInBrowser('a browser', () => {
  it('whose clock is wrong gets a warning, and no offset is negative', async () => {
    const session = running();
    const site = await startSite([session], { now: () => new Date(Date.now() + 10 * 60_000) });
    const { page } = await open(site, addressOf(session));
    await page.getByText('(server time)').first().waitFor();
    await expect.poll(() => page.locator('[data-now]').innerText()).toMatch(/10 min/);
    const offsets = await page.locator('#steps [data-row] > span:first-child').allInnerTexts();
    expect(offsets.filter((text) => !/^(?:\+[\d:.]+)?$/.test(text))).toEqual([]);
  });

  it('that asks for less motion gets none', async () => {
    const session = running();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session), { reducedMotion: 'reduce' });
    await page.locator('#steps [data-row]').first().waitFor();
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });

  it('prints the analysis and all steps, and no bars', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.locator('#steps [data-row]').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('header').first().isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Share' }).isVisible()).toBe(false);
    await page.getByText('raised the quote cache from 20,000').last().waitFor();
    expect(await page.locator('#steps [data-row]').last().isVisible()).toBe(true);
  });
});
