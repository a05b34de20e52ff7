import { expect, it } from 'vitest';
import { sampleDroppedAlerts, sampleRejectedMessage } from '../../../test/support/samples.ts';
import { droppedAlertsType, paths, rejectedMessageType } from '../../lists/documents.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { utcDay, utcHour } from '../../text/utcPeriod.ts';
import { findLostAlert } from './lostAlert.ts';

const now = new Date('2026-11-23T23:30:00Z');

/** A store with a rejection, and a drop of the next day by a clock that is ahead. */
async function start() {
  const store = createMemoryStore();
  const [sample] = sampleRejectedMessage().samples;
  if (sample === undefined) throw new Error('no sample');
  const hour = utcHour(now);
  const samples = [{ ...sample, messageId: '41', reason: 'the alert is empty', at: now }];
  const rejected = sampleRejectedMessage({ function: 'ingestAlert', hour, code: 'ALERT_EMPTY', samples });
  const refusal = paths.rejectedMessage('ingestAlert', hour, 'ALERT_EMPTY');
  await store.increment(refusal, rejectedMessageType, rejected, 'count');
  const at = new Date(now.getTime() + 3_600_000);
  const last = { messageId: '42', source: 'json', title: 'Disk full', at };
  const dropped = sampleDroppedAlerts({ day: utcDay(at), rule: 'noise', text: 'labels.env is "test"', last });
  const drop = paths.droppedAlertsOf(utcDay(at), 'noise', 'default');
  await store.increment(drop, droppedAlertsType, { ...dropped, examples: [] }, 'count');
  return { find: (id: string) => findLostAlert(id, { store, now }), refusal, drop, at };
}

it('an alert that was refused has the reason and its record', async () => {
  const { find, refusal } = await start();
  const reason = `refused: ALERT_EMPTY: the alert is empty (${refusal})`;
  expect(await find('41')).toEqual({ outcome: 'refused', reason, at: now });
});

it('an alert that a rule dropped has the rule and its record', async () => {
  const { find, drop, at } = await start();
  const reason = `dropped by noise of triage.yaml: labels.env is "test" (${drop})`;
  expect(await find('42')).toEqual({ outcome: 'dropped', reason, at });
});

it('an alert without a record is not lost', async () => {
  const { find } = await start();
  expect(await find('4')).toBeUndefined();
});
