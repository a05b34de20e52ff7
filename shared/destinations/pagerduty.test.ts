// PagerDuty against its stand-in at the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import { startPagerduty } from '../../local/destinations/pagerduty.fixture.ts';
import type { OutgoingMessage } from '../contract/destination.ts';
import { createHttp } from './http.ts';
import { createPagerduty } from './pagerduty.ts';
import { sampleMessage } from './samples.fixture.ts';

const INCIDENT = 'PT4KHLK';
const FROM = 'oncall@example.com';

async function open() {
  const pagerduty = await startPagerduty({
    keys: { 'write-key': {}, 'read-key': { isReadOnly: true } },
    users: [FROM],
    incidents: [INCIDENT],
  });
  onTestFinished(() => pagerduty.stop());
  const create = (changes: { token?: string; from?: string } = {}) =>
    createPagerduty({ http: createHttp() })(
      { token: 'write-key', from: FROM, apiUrl: pagerduty.url, ...changes },
      'pagerduty',
    );
  const notes = () => pagerduty.notes.get(INCIDENT)?.map(({ content }) => content) ?? [];
  return { pagerduty, create, notes, destination: await create() };
}

const about = (place: string | null, source = 'pagerduty'): OutgoingMessage => {
  const message = sampleMessage('ended', {}, { place });
  return { ...message, session: message.session && { ...message.session, source } };
};

describe('PagerDuty', () => {
  it('gets a note on the incident of the alert', async () => {
    const { pagerduty, notes, destination } = await open();
    expect(destination.placeOf?.({ incident_id: INCIDENT })).toBe(INCIDENT);
    expect(await destination.send(about(INCIDENT))).toEqual({ outcome: 'sent', ref: `${INCIDENT}/P0NOTE` });
    expect(notes()[0]).toMatch(
      /^Firing since 20:14 UTC, repeated 14 times: KubePodCrashLooping[\s\S]*\nInquest [0-9a-f]{20}$/,
    );
    expect(pagerduty.requests[0]?.headers).toMatchObject({
      from: FROM,
      accept: 'application/vnd.pagerduty+json;version=2',
    });
  });

  it('finds a note whose answer was lost, and no other', async () => {
    const { pagerduty, notes, destination } = await open();
    pagerduty.failNext({ fault: 'cut', takesEffect: false }, { fault: 'cut', takesEffect: true });
    expect(await destination.send(about(INCIDENT))).toMatchObject({ outcome: 'unknown' });
    expect(await destination.probe?.(about(INCIDENT))).toMatchObject({ outcome: 'failed' });
    expect(await destination.probe?.(about(INCIDENT))).toEqual({ outcome: 'absent' });
    pagerduty.failNext({ fault: 'cut', takesEffect: true });
    await destination.send(about(INCIDENT));
    expect(await destination.probe?.(about(INCIDENT))).toMatchObject({ outcome: 'found' });
    expect(await destination.probe?.({ ...about(INCIDENT), id: 'other' })).toEqual({ outcome: 'absent' });
    expect(notes()).toHaveLength(1);
    // PagerDuty can end a note with a blank line.
    for (const note of pagerduty.notes.get(INCIDENT) ?? []) note.content += '\n';
    expect(await destination.probe?.(about(INCIDENT))).toMatchObject({ outcome: 'found' });
  });

  it('is not found by a note that quotes the mark', async () => {
    const { pagerduty, notes, destination } = await open();
    await destination.send(about(INCIDENT));
    const [note] = pagerduty.notes.get(INCIDENT) ?? [];
    if (note !== undefined) note.content = `> ${notes()[0]?.split('\n').at(-1)}\nquoted`;
    expect(await destination.probe?.(about(INCIDENT))).toEqual({ outcome: 'absent' });
  });

  it.each([[about(null)], [about('../users')], [about(INCIDENT, 'alertmanager')]])(
    'sends nothing without an incident of PagerDuty',
    async (message) => {
      const { pagerduty, destination } = await open();
      expect(await destination.send(message)).toMatchObject({
        outcome: 'refused',
        failure: { code: 'no_incident' },
      });
      expect(pagerduty.requests).toEqual([]);
    },
  );

  it.each([
    [{ token: 'read-key' }, INCIDENT, 'access_denied', 'write access'],
    [{ token: 'wrong' }, INCIDENT, 'authentication_failed', 'region'],
    [{ from: 'gone@example.com' }, INCIDENT, 'unknown_user', '"from"'],
    [{}, 'PXXXXXX', 'incident_not_found', 'region'],
  ])('with %j names the fix', async (changes, incident, code, fix) => {
    const { create } = await open();
    const destination = await create(changes);
    expect(await destination.send(about(incident))).toEqual({
      outcome: 'refused',
      failure: { code, message: expect.stringContaining(fix) },
    });
  });

  it('checks the key and the sender', async () => {
    const { create, destination } = await open();
    expect(await destination.check?.()).toEqual([]);
    expect(await (await create({ token: 'wrong' })).check?.()).toMatchObject([
      { code: 'authentication_failed' },
    ]);
    expect(await (await create({ from: 'gone@example.com' })).check?.()).toMatchObject([
      { code: 'unknown_user' },
    ]);
  });
});
