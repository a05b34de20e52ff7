// The hourly test alert: sent by the sweep, recorded in one document, noticed when missing.

import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { alertFateType, canaryType, paths, sessionType } from '../../../shared/lists/documents.ts';
import { deployedSweepFeatures } from '../../../shared/lists/sweepFeatures.ts';
import { startApiBench } from '../../support/apiBench.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const MINUTE_MS = 60_000;

async function bench() {
  const one = await startApiBench({ script, inMemory: true });
  const sent = () => one.deps.publisher.published.filter(({ topic }) => topic === TOPICS.alerts);
  const tick = () => handleTick(one.deps, deployedSweepFeatures([]));
  const record = async () => (await one.deps.store.get(paths.canary('alerts'), canaryType))?.value;
  const sessions = async () => one.deps.store.list({ collection: paths.sessions }, sessionType);
  const late = async (): Promise<string | null> => (await one.ask('/v1/system')).body.health.lateCanary;
  return { ...one, sent, tick, record, sessions, late };
}

describe('the canary', () => {
  it('is sent once an hour, arrives through the topic, and opens no session', async () => {
    const one = await bench();
    for (let minute = 0; minute < 121; minute++) {
      await one.tick();
      await one.drain();
      one.deps.clock.advance(MINUTE_MS);
    }
    expect(one.sent()).toHaveLength(3);
    expect(await one.sessions()).toEqual([]);
    expect(await one.deps.store.list({ collection: paths.alertFates }, alertFateType)).toEqual([]);
    expect(await one.rejected()).toEqual([]);
    const { sentAt, arrivedSentAt } = (await one.record()) ?? {};
    expect(arrivedSentAt).toEqual(sentAt);
    expect(await one.late()).toBeNull();
  });

  it('is sent once by sweeps at the same time, and again when it does not arrive; its absence is reported', async () => {
    const one = await bench();
    await Promise.all([one.tick(), one.tick(), one.tick()]);
    expect(one.sent()).toHaveLength(1);
    expect(await one.late()).toBeNull();
    for (let minute = 0; minute <= 91; minute++) {
      one.deps.clock.advance(MINUTE_MS);
      await one.tick();
    }
    expect(one.sent().length).toBeGreaterThan(5);
    expect(await one.late()).toBe((await one.record())?.since.toISOString());
    await one.drain();
    expect(await one.late()).toBeNull();
  });

  it('cannot be made by others: a copy with a wrong token, or the token with another body, is an alert', async () => {
    const one = await bench();
    await one.tick();
    const [canary] = one.sent();
    const { data = Buffer.of(), attributes = {} } = canary ?? {};
    const token = attributes.inquestCanary ?? '';
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    await one.drain();
    const before = await one.record();
    const copies: [Uint8Array | object, Record<string, string>][] = [
      [data, { ...attributes, inquestCanary: '0'.repeat(32) }],
      [data, { inquestCanarySentAt: attributes.inquestCanarySentAt ?? '' }],
      [data, { ...attributes, inquestCanarySentAt: 'today' }],
      [{ title: 'Database down' }, attributes],
    ];
    for (const [body, given] of copies) {
      await one.publishAlert(body instanceof Uint8Array ? Buffer.from(body).toString() : body, given);
      await one.drain();
    }
    expect(await one.sessions()).toHaveLength(4);
    expect(await one.record()).toEqual(before);
  });

  it('of an earlier hour that arrives again, or of a time that no sweep sent, never hides that the next one is missing', async () => {
    const one = await bench();
    await one.tick();
    await one.drain();
    const { data = Buffer.of(), attributes = {} } = one.sent()[0] ?? {};
    const before = await one.record();
    const sentAt = new Date(before?.sentAt ?? 0).getTime();
    one.deps.clock.advance(91 * MINUTE_MS);
    for (const ms of [sentAt, sentAt - MINUTE_MS, sentAt + MINUTE_MS]) {
      const copy = { ...attributes, inquestCanarySentAt: new Date(ms).toISOString() };
      await one.publishAlert(Buffer.from(data).toString(), copy);
      await one.drain();
    }
    expect(await one.record()).toEqual(before);
    expect(await one.late()).toBe(before?.arrivedAt?.toISOString());
    expect(await one.sessions()).toEqual([]);
  });

  it('that cannot be published does not end the sweep, and is sent by a later one', async () => {
    const one = await bench();
    const { publisher } = one.deps;
    const failing = { publish: () => Promise.reject(new Error('no topic')) };
    const report = await handleTick(
      { ...one.deps, publisher: Object.assign(Object.create(publisher), failing) },
      deployedSweepFeatures([]),
    );
    expect(report.failures).toEqual([]);
    expect(await one.record()).toMatchObject({ arrivedAt: null });
    await one.tick();
    expect(one.sent()).toEqual([]);
    one.deps.clock.advance(15 * MINUTE_MS);
    await one.tick();
    expect(one.sent()).toHaveLength(1);
  });
});
