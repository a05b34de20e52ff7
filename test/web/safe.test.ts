// Text of others can do nothing: it is text, under a strict policy, without requests.

import { expect, it } from 'vitest';
import { readSessionAlert } from '../../shared/alerts/schema/alert.ts';
import { EVENT_STATUSES } from '../../shared/core/schema/timelineEvent.ts';
import { EVERY_TYPE } from '../../web/fixtures/every.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { addressOf, every, hostile } from './support/sessions.ts';

/** All elements that the dashboard draws. */
const ELEMENTS =
  'a article aside b bdi blockquote body br button caption circle code dd details dialog div dl dt em footer form h1 h2 h3 h4 h5 h6 head header hr html i input kbd label li line link main meta nav noscript ol option p path pre rect script search section select span strong style summary svg table tbody td textarea th thead time title tr ul'.split(
    ' ',
  );

describeInBrowser('hostile text', () => {
  it('is shown as text, asks nothing of others, runs nothing and breaks no policy', async () => {
    const session = hostile(IS_LONG ? 10_000 : 2_000);
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    await page.getByRole('button', { name: 'Fold all' }).waitFor();
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>(
        '#steps [data-row] button[aria-expanded=false]',
      ))
        button.click();
    });
    await page.locator('#steps [data-number]').first().waitFor();
    const found = await page.evaluate(() => ({
      elements: [...new Set([...document.querySelectorAll('*')].map(({ tagName }) => tagName.toLowerCase()))],
      links: [...document.querySelectorAll('a')].map((link) => ({
        href: link.href,
        rel: link.rel,
        target: link.target,
      })),
      handlers: [...document.querySelectorAll('*')].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on')),
      ),
      scripts: [...document.querySelectorAll('script')].filter((script) => script.textContent !== '').length,
      styles: document.querySelectorAll('style').length,
      hacked: 'hacked' in window,
      title: document.title,
    }));
    expect(found.elements.filter((name) => !ELEMENTS.includes(name))).toEqual([]);
    expect(found.handlers).toEqual([]);
    expect([found.scripts, found.styles, found.hacked]).toEqual([0, 0, false]);
    for (const { href, rel, target } of found.links.filter((link) => !link.href.startsWith(site.url))) {
      expect(href).toMatch(/^https?:/);
      expect([rel, target]).toEqual(['noreferrer noopener', '_blank']);
    }
    expect(found.title.length).toBeLessThan(100);
    expect(found.title).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    await expect.poll(() => page.locator('#analysis').innerText()).toContain('<script>');
    const unreadable = page.getByRole('region', { name: 'Not readable' });
    expect(await unreadable.innerText()).toMatch(/DOCUMENT_INVALID.*<script>/s);
    expect(faults).toEqual([]);
  });

  it('is as harmless in the list', async () => {
    const site = await startSite([hostile()]);
    const { page, faults } = await open(site, '/');
    await page.locator('a[href^="/s/"]').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(faults).toEqual([]);
  });

  it('asks before it opens a link that a model wrote, also to a host that an alert names', async () => {
    const session = hostile();
    const alert = readSessionAlert(session.session);
    if (alert === null) throw new Error('the session has no alert');
    alert.url = 'https://evil.example/alert';
    alert.links = [{ title: 'Graph', url: 'https://evil.example/graph' }];
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const link = page.locator('#analysis ol a[href^="https://evil.example"]').last();
    await link.click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    expect(await dialog.innerText()).toContain('evil.example');
    expect(await dialog.innerText()).toContain('secret');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(page.context().pages()).toHaveLength(1);
    // The alert's links open at once: with the source's text, and their host beside it.
    await page.context().route('https://evil.example/**', (route) => route.fulfill({ body: 'opened' }));
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Graph' }).click();
    expect((await opening).url()).toMatch(/^(?:about:blank|https:\/\/evil\.example\/graph)$/);
  });

  it('would be stopped by the policy: code that makes HTML of text throws', async () => {
    const site = await startSite([hostile()]);
    const { page } = await open(site, '/');
    const threw = await page.evaluate(() => {
      try {
        document.body.insertAdjacentHTML('beforeend', '<b>no</b>');
        return false;
      } catch {
        return true;
      }
    });
    expect(threw).toBe(true);
  });
});

describeInBrowser('every type of event', () => {
  it('is drawn in every status, and none is empty', async () => {
    const session = every();
    const answers: Record<string, object> = {};
    const site = await startSite([session], { answers });
    // A newer server than the page knows another type.
    const path = `/v1/sessions/${session.session.sessionId}/timeline`;
    const timeline = (await (await fetch(`${site.url}${path}`)).json()) as { events: object[] };
    const tomorrow = { eventType: 'a_type_of_tomorrow', eventId: '01-every.000900', sequenceNumber: 900 };
    const said = { content: 'What a newer server writes.', metadata: { anything: true } };
    timeline.events.push({ ...timeline.events.at(-1), ...tomorrow, ...said });
    answers[`GET ${path}`] = timeline;
    const { page, faults } = await open(site, addressOf(session));
    await page.locator('[data-row]').first().waitFor();
    const rows = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('#steps [data-row]')].map((row) => ({
        type: row.dataset.type ?? '',
        text: row.innerText.trim(),
      })),
    );
    // A result, and a summary of it, stand in the row of their call.
    const inRows = EVERY_TYPE.map(({ eventType }) => eventType).filter(
      (type) => type !== 'tool_result' && type !== 'mcp_tool_summary',
    );
    for (const type of inRows)
      expect(rows.filter((row) => row.type === type).length, type).toBeGreaterThanOrEqual(
        EVENT_STATUSES.length,
      );
    expect(rows.filter(({ text }) => text === '')).toEqual([]);
    const words = rows.map(({ text }) => text).join('\n');
    for (const text of [
      'a type of tomorrow',
      'What a newer server writes.',
      'Effect unknown.',
      '10 × MODEL_UNAVAILABLE',
      'TAINT_BLOCKED',
      'container istio-proxy is not valid',
      'Concluded at its iteration limit (20 of 20 iterations)',
      'Truncated answer',
      'summarized from 38.0 kB',
      'timed out',
      'cancelled',
    ])
      expect(words).toContain(text);
    expect(faults).toEqual([]);
  });

  it('has its masked values marked, and equal ones light up together', async () => {
    const session = every();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    const row = page.locator('[data-row]', { hasText: 'get_secret' }).first();
    await row.locator('button').first().click();
    const marks = row.locator('[role=note]');
    expect(await marks.allInnerTexts()).toEqual([
      'masked:password#3f2a1c',
      'masked:token#91c0aa',
      'masked:password#3f2a1c',
    ]);
    const classes = () => marks.evaluateAll((all) => all.map(({ className }) => className));
    const [plain] = await classes();
    await marks.first().focus();
    await expect
      .poll(classes)
      .toEqual([expect.not.stringMatching(`^${plain}$`), plain, expect.not.stringMatching(`^${plain}$`)]);
  });
});
