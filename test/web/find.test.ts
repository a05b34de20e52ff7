// Sessions are found by filters that the address has, kept as views, and compared.

import { expect, it } from 'vitest';
import { withPart } from '../../shared/core/schema/parts.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import type { Claims } from '../../shared/lists/apiTypes.ts';
import { openedToday, shifted } from '../../web/dev/fixtures.ts';
import { sampleVerdict } from '../support/samples.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, isInView, open, PHONE, startSite } from './support/chromium.ts';
import { addressOf, ended, failed, limited, moveToNow, running } from './support/sessions.ts';

describeInBrowser('the list', () => {
  it('has its filters in the address, and keeps them as a view', async () => {
    const twoHoursOld = [ended(), failed()].map((session) => shifted(session, -7_200_000));
    const site = await startSite([...twoHoursOld, running()]);
    const { page, faults } = await open(site, '/?outcome=failed');
    const rows = page.locator('main ul li h2, main ul li a[href^="/s/"]').filter({ visible: true });
    const search = () => page.evaluate(() => location.search);
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.first().innerText()).toContain('HostOutOfMemory');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByLabel('Name of the view').fill('Failures');
    await page.keyboard.press('Enter');
    await expect.poll(search).toBe('?outcome=failed&view=Failures');
    await page.getByText('The address of this page shows the view to others.').waitFor();
    expect(await listViolations(page)).toEqual([]);
    const colleague = await open(site, `/${await search()}`);
    const shared = colleague.page.getByRole('link', { name: 'Failures' });
    await expect.poll(() => shared.getAttribute('aria-current')).toBe('true');
    await colleague.page.getByRole('button', { name: 'Save this view' }).click();
    expect(await colleague.page.getByLabel('Name of the view').inputValue()).toBe('Failures');
    await page.getByRole('button', { name: 'Filters (1)' }).click();
    await page.getByRole('button', { name: 'outcome: failed remove' }).click();
    await expect.poll(search).toBe('');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByLabel('By place').selectOption('shop-prod');
    await page.getByLabel('By time').selectOption('1h');
    await expect.poll(search).toBe('?place=shop-prod&since=1h');
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('link', { name: 'Failures' }).click();
    await expect.poll(search).toBe('?outcome=failed&view=Failures');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Remove this view' }).click();
    expect(await page.getByRole('link', { name: 'Failures' }).count()).toBe(0);
    await page.goto(`${site.url}/?since=1d&outcome=failed`);
    await page.getByText('since “1d” is none of 1h, 24h, 7d, 30d, or a date').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await listViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(search).toBe('?outcome=failed');
    expect(faults).toEqual([]);
  });

  it('folds its choices into one control on a phone, which counts those in use', async () => {
    const site = await startSite([ended(), moveToNow(failed())]);
    const { page } = await open(site, '/?outcome=failed&since=30d', PHONE);
    const place = page.getByLabel('By place');
    const fold = page.getByRole('button', { name: 'Filters (2)' });
    await fold.waitFor();
    expect(await place.isVisible()).toBe(false);
    const failedOnes = page.getByRole('button', { name: /^Failed/ });
    const right = await failedOnes.evaluate((chip) => chip.getBoundingClientRect().right);
    expect(right).toBeLessThanOrEqual(378);
    const first = page.locator('main ul > li').first();
    expect(await first.evaluate((row) => row.getBoundingClientRect().top)).toBeLessThan(844 * 0.4);
    await fold.click();
    await place.selectOption('shop-prod');
    await page.getByRole('button', { name: 'Filters (3)' }).waitFor();
    expect(await listViolations(page)).toEqual([]);
  });

  it('shows the activity of running sessions, parts that are away, and both times of a tap', async () => {
    const health = {
      servers: [{ name: '<b>logs</b>', agents: 2 }],
      models: [{ code: 'MODEL_UNAVAILABLE', since: '2026-11-24T18:00:00Z', agents: 1 }],
      lateSweep: { since: '2026-11-24T17:00:00Z', agents: 1, sessions: 0, messages: 2, checks: 0 },
    };
    const answers = { 'GET /v1/system': { pause: null, health, now: new Date() } };
    const session = running();
    const [event] = session.events.filter(({ executionId }) => executionId === '01-release-reviewer');
    if (event === undefined) throw new Error('the session has no event');
    const question = 'Is <i>release 42</i> live?';
    const asked = { actionType: 'elicit', payload: JSON.stringify({ question }) };
    const createdAt = new Date();
    const part = { eventType: 'action', metadata: asked, content: question, createdAt } as const;
    session.events.push({ ...event, ...part, sequenceNumber: 40 });
    const site = await startSite([session], { answers });
    const zone = { ...PHONE, timezoneId: 'Asia/Tokyo' };
    const { page, faults } = await open(site, '/', zone);
    await page.getByText('release-reviewer runs (iteration 2).').waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'The tool server' });
    expect(await notice.innerText()).toMatch(
      /MODEL_UNAVAILABLE.*Since 25 Nov 03:00 \(24 Nov 18:00 UTC\).*<b>logs<\/b> cannot be reached: 2 agents work.*1 agent, 2 messages cannot continue: .*Since 25 Nov 02:00/s,
    );
    await notice.locator('time').first().tap();
    const times = page.locator('[popover]:popover-open');
    expect(await times.innerText()).toMatch(/24 Nov 2026, 18:00:00 UTC\s+25 Nov 2026, 03:00:00/);
    expect(await listViolations(page)).toEqual([]);
    // The link of a notice leads to its section of the page "System", below all that covers the page.
    await page.keyboard.press('Escape');
    await notice.getByRole('link', { name: 'Tool servers' }).tap();
    const heading = page.getByRole('heading', { name: 'Tool servers' });
    await expect.poll(() => heading.evaluate((one) => one === document.activeElement)).toBe(true);
    await expect.poll(() => isInView(page, '#servers-title')).toBe(true);
    const server = page.locator('#servers li').filter({ hasText: /kubernetes\.\w+/ });
    await server.getByText('Answered').waitFor();
    await server.getByText(/^\d+ tools$/).tap();
    await server.getByText('get_events').waitFor();
    await page.getByText('none in 1 recent session').first().waitFor();
    await page.locator('#waiting').getByRole('link', { name: 'Is <i>release 42</i> live?' }).waitFor();
    await page
      .locator('#models')
      .getByText(/^\d+ % of 1,000 requests and /)
      .waitFor();
    await page.locator('#configuration').getByText('oncall (slack)').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await listViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await listViolations(page, ['color-contrast'])).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('the page "System" shows servers to a viewer, and names who sees models and the configuration', async () => {
    const site = await startSite([ended()], { me: { name: 'kim', role: 'viewer' } });
    const { page } = await open(site, '/system#configuration');
    const section = page.locator('#configuration');
    await section.getByText('This requires the role admin.').waitFor();
    await page.locator('#models').getByText('This requires the role admin.').waitFor();
    await page.locator('#servers').getByText('kubernetes.query_metrics').first().waitFor();
    await page.getByText('You are a viewer: responders decide and answer.').waitFor();
    expect(await listViolations(page)).toEqual([]);
  });
});

describeInBrowser('a row of the list', () => {
  it('has at most 64 pixels at 1440, also with limits, and chats are in a tab of their own', async () => {
    // The list learns of chats by its stream.
    const chats = [openedToday(failed())];
    for (const { session } of chats) session.kind = 'chat';
    const site = await startSite([ended(), limited(), ...chats]);
    const { page } = await open(site, '/');
    const rows = page.locator('main section li');
    await expect.poll(() => rows.count()).toBe(2);
    const heights = await rows.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThanOrEqual(64);
    await page.getByRole('button', { name: 'Failed 0' }).waitFor();
    await page.getByRole('button', { name: 'Chats 1' }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('HostOutOfMemory');
  });
});

describeInBrowser('the search of the list', () => {
  it('is found from a page without a search, by a link and by its key', async () => {
    const site = await startSite([ended()]);
    const { page, faults } = await open(site, '/usage');
    const field = page.getByLabel('Find sessions');
    await page.getByRole('link', { name: 'Find sessions' }).click();
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the palette', () => {
  it('finds sessions, pages and acts by their words, and the keys choose', async () => {
    const site = await startSite([ended()]);
    const { page, faults } = await open(site, addressOf(ended()));
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByLabel('Page, act or session');
    await field.fill('usa');
    await page.getByRole('option', { name: 'Usage' }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('CrashLooping');
    await page.getByRole('option', { name: /KubePodCrashLooping/ }).click();
    await page.locator('[data-acts] button:enabled', { hasText: 'Claim' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.fill('resolve');
    await page.getByRole('option', { name: 'Resolve …' }).click();
    await page.getByRole('dialog').waitFor();
    expect(faults).toEqual([]);
  });
});

describeInBrowser('two sessions', () => {
  it('stand side by side with alert, cause and cost, and their calls are counted', async () => {
    const [one, other] = [ended(), limited()];
    for (const fixture of [one, other])
      fixture.session = withPart(verdictPart, fixture.session, sampleVerdict('likely'));
    const answers = {
      [`GET /v1/sessions/${one.session.sessionId}/claims`]: claimsWith('held'),
      [`GET /v1/sessions/${other.session.sessionId}/claims`]: claimsWith('absent'),
    };
    const site = await startSite([one, other], { answers });
    const { page, faults } = await open(
      site,
      `/compare?a=${one.session.sessionId}&b=${other.session.sessionId}`,
    );
    const call = page.locator('tr', { hasText: 'kubernetes.list_pods' });
    await expect.poll(() => call.locator('td').allInnerTexts()).toHaveLength(3);
    expect((await call.locator('td').allInnerTexts()).slice(1)).toEqual(['not called', '1 time']);
    const quote = page.locator('tr', { hasText: 'last state OOMKilled' });
    await expect
      .poll(() => quote.locator('td').allInnerTexts())
      .toEqual(['for: last state OOMKilled', 'held', 'absent']);
    const columns = page.locator('section[aria-labelledby^=title-]');
    expect(await columns.count()).toBe(2);
    const tops = await columns.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(tops[0]).toBe(tops[1]);
    const statuses = await columns.locator('[data-status]').allInnerTexts();
    expect(statuses).toEqual(['Completed', 'Completed, limited']);
    expect(await columns.first().innerText()).toMatch(/shop\/checkout · shop-prod.*\$0\.0\d+.*256Mi/s);
    expect(await listViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByLabel('Session B').fill('nope');
    await page.keyboard.press('Enter');
    await page.getByText('There is no such session.').waitFor();
    expect(faults).toEqual([]);
  });
});

/** The claims of a session with one piece of evidence. */
function claimsWith(state: string): Claims {
  const item = {
    executionId: null,
    result: null,
    callId: null,
    line: null,
    found: null,
    pointer: null,
    value: null,
  };
  const stated = {
    ...item,
    id: 'a.e1',
    hypothesis: 'A',
    side: 'for',
    quote: 'last state OOMKilled',
    yields: 'state',
    speaks: 'state',
    contrast: 'open',
    state,
  };
  return {
    verdict: 'likely',
    sentence: 'Likely.',
    rule: 'state',
    caps: [],
    isRecovered: false,
    outcome: null,
    unreadable: [],
    links: [],
    values: [],
    hypotheses: [
      {
        id: 'A',
        text: null,
        component: 'service:checkout',
        mechanism: 'memory',
        cause: true,
      },
    ],
    evidence: [stated as never],
  };
}
