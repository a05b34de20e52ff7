// The panel of messages: states, errors with their fix, and messages that a person sends again.

import { expect, it } from 'vitest';
import { notifyPart } from '../../shared/config/notified.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import type { Delivery } from '../../shared/kits/deliveries/delivery.ts';
import { deliveryType, paths } from '../../shared/lists/documents.ts';
import { stored } from '../../web/dev/fixtures.ts';
import { sampleDelivery } from '../support/samples.ts';
import { listViolations } from './support/axe.ts';
import { describeInBrowser, open, startSite } from './support/chromium.ts';
import { addressOf, ended } from './support/sessions.ts';

const AT = new Date('2026-11-23T10:00:00.000Z');

const delivery = (destination: string, event: string, changes: Partial<Delivery>) =>
  sampleDelivery({
    sessionId: ended().session.sessionId,
    destination,
    event,
    ...changes,
    firstSentAt: AT,
    sendingAt: AT,
    sentAt: changes.sentAt === undefined ? AT : changes.sentAt,
    createdAt: AT,
    expireAt: ended().session.expireAt,
  });

describeInBrowser('the messages about a session', () => {
  it('show state and last error, and a failed one is sent again', async () => {
    const session = ended();
    const notify = ['oncall', 'teams'].map((to) => ({ to, when: ['ended'], digestMs: null }));
    session.session = withPart(notifyPart, session.session, { notify });
    const deliveries = [
      delivery('oncall', 'opened', {}),
      delivery('oncall', 'progress', { state: 'skipped', sentAt: null }),
      delivery('oncall', 'ended', {
        state: 'failed',
        attempts: 3,
        sentAt: null,
        failure: {
          code: 'not_in_channel',
          message: 'The app is not in the channel. Invite it there: /invite @inquest <b>x</b>',
        },
      }),
      delivery('teams', 'ended', {
        state: 'unknown',
        sentAt: null,
        failure: { code: 'timeout', message: 'prod.example.com: no answer within 30 s' },
      }),
    ];
    session.others.push(
      ...deliveries.map((one) =>
        stored(paths.delivery(one.sessionId, one.destination, one.event, one.key), deliveryType, one),
      ),
    );
    const site = await startSite([session]);
    const { page, faults } = await open(site, addressOf(session));
    const panel = page.getByRole('region', { name: 'Messages' });
    await panel.getByText('2 of 3 messages not confirmed').waitFor();
    await panel.getByText('Invite it there: /invite @inquest <b>x</b>').waitFor();
    await panel.getByText('3 attempts').waitFor();
    await panel.getByRole('button', { name: 'Send again, possibly twice' }).waitFor();
    expect(await listViolations(page)).toEqual([]);
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await panel.scrollIntoViewIfNeeded();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/deliveries-${width}.png` });
    }
    await panel.getByRole('button', { name: 'Send again', exact: true }).click();
    await panel.getByText('Result: waits').waitFor();
    expect(site.api.posted.map(({ path }) => path.split('/').slice(-2))).toEqual([
      ['oncall.ended.1', 'send-again'],
    ]);
    expect(faults).toEqual([]);
  });

  it('are absent for a session without destinations', async () => {
    const session = ended();
    const site = await startSite([session]);
    const { page } = await open(site, addressOf(session));
    await page.getByRole('region', { name: 'People' }).waitFor();
    expect(await page.getByRole('region', { name: 'Messages' }).count()).toBe(0);
  });
});
