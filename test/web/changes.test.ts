// The panel of changes: a strip on the time axis, states before and after, hostile texts.

import { expect, it } from 'vitest';
import type { SessionChanges } from '../../shared/lists/apiTypes.ts';
import { makeEvents } from '../../web/fixtures/make.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { addressOf, ended } from './support/sessions.ts';

type Change = SessionChanges['changes'][number];

/** The alert started two minutes before its session. */
const START = new Date(ended().session.createdAt.getTime() - 120_000).toISOString();
/** Half of the time that the session ran, in minutes. */
const HALF_MINUTES = timeOf(ended()) / 2 / 60_000;

function timeOf({ session: { createdAt, endedAt } }: ReturnType<typeof ended>): number {
  if (endedAt === null) throw new Error('the session has not ended');
  return endedAt.getTime() - createdAt.getTime();
}

function change(minutes: number, more: Partial<Change>): Change {
  const at = new Date(Date.parse(START) - minutes * 60_000).toISOString();
  return {
    id: `c-${minutes}`,
    title: 'Deployment of checkout',
    source: 'github',
    kind: 'deploy',
    status: 'done',
    resource: 'k8s:prod/shop/Deployment/checkout',
    actor: 'ada',
    before: null,
    after: null,
    url: null,
    at,
    receivedAt: at,
    rate: '14 changes of it in 14 days (1.0 a day)',
    count: 1,
    late: false,
    relation: 'the same resource',
    when: `${minutes} min before`,
    ...more,
  };
}

describeInBrowser('the changes before an alert', () => {
  it('are shown with a strip, their states and links; hostile texts stay text', async () => {
    const session = ended();
    const { sessionId, createdAt: begin } = session.session;
    const notice = {
      eventType: 'notice',
      content: 'What changed: 3 changes.',
      metadata: { code: 'what_changed', subject: '3' },
    };
    session.events.push(...makeEvents({ sessionId, executionId: 'changes', begin }, [notice]));
    const changes = {
      changes: [
        change(25, {
          before: '{"image":"checkout:1.8.2"}',
          after: '{"image":"checkout:1.8.3"}',
          url: 'https://github.com/acme/checkout',
        }),
        change(240, {
          status: 'attempted',
          title: `<img src=x onerror=alert(1)> ${'long'.repeat(60)}`,
          relation: 'the same namespace',
          late: true,
        }),
        change(900, {
          kind: 'flag',
          resource: 'flag:new-cart',
          title: 'turned on the flag New cart',
          actor: null,
          url: 'javascript:alert(1)',
        }),
        change(-2 - HALF_MINUTES, { title: 'Rollback of checkout', when: '2 min after', late: true }),
      ],
      others: 12,
      isCut: false,
      resource: 'k8s:prod/shop/Deployment/checkout',
      service: null,
      start: START,
      sources: [{ source: 'github', lastAt: START }],
    };
    const answers = { [`GET /v1/sessions/${sessionId}/changes`]: changes };
    const site = await startSite([session], { answers });
    const { page, faults } = await open(site, addressOf(session));
    const panel = page.getByRole('region', { name: 'What changed' });
    await panel.getByText('checkout:1.8.3').waitFor();
    await panel.getByText('<img src=x onerror=alert(1)>').waitFor();
    await panel.getByText('12 other changes not shown').waitFor();
    await panel.getByText('failed').waitFor();
    const strip = page.locator('[data-change-strip]');
    expect(await strip.getAttribute('title')).toMatch(/^4 changes, the first 15 h 2 min before/);
    const places = await strip
      .locator('svg')
      .evaluateAll((axes) =>
        axes.map((axis) =>
          [...axis.querySelectorAll('rect')].map((mark) => Number.parseFloat(mark.getAttribute('x') ?? '')),
        ),
      );
    expect(places.map((own) => own.length)).toEqual([3, 1]);
    expect(places.flat().every((at) => at >= 0 && at <= 100)).toBe(true);
    // Its part of the session has the place of the lines below.
    const boxes = await page
      .locator('[data-change-strip] [data-session], [data-kind="model"][class*="bar"]')
      .evaluateAll((bars) =>
        bars.slice(0, 2).map((bar) => {
          const { left, right } = bar.getBoundingClientRect();
          return [Math.round(left), Math.round(right)];
        }),
      );
    expect(boxes[0]).toEqual(boxes[1]);
    expect(
      await panel.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://github.com/acme/checkout']);
    expect(await listViolations(page)).toEqual([]);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await panel.scrollIntoViewIfNeeded();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      if (process.env.SHOTS) {
        await panel.screenshot({ path: `${process.env.SHOTS}/changes-${width}.png` });
        await page
          .getByRole('region', { name: 'Time', exact: true })
          .screenshot({ path: `${process.env.SHOTS}/time-${width}.png` });
      }
    }
    expect(faults).toEqual([]);
  });
});
