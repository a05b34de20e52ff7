import { expect, it } from 'vitest';
import { sampleAlertPart, sampleSession } from '../../../test/support/samples.ts';
import { readSessionAlert } from '../../alerts/schema/alert.ts';
import { evidenceWindow } from './evidenceWindow.ts';

const HOUR_MS = 3_600_000;
const UNTIL = new Date('2026-01-02T00:00:00Z');

it.each([
  ['24 hours by default', undefined, 24 * HOUR_MS],
  ['the lookback of the chain', HOUR_MS, HOUR_MS],
])('the window of evidence starts before the alert by %s', (_, lookbackMs, expected) => {
  const session = sampleSession();
  const window = evidenceWindow({ ...session, chain: { ...session.chain, lookbackMs } }, UNTIL);
  const start = readSessionAlert(session)?.startedAt ?? session.createdAt;
  expect(window).toEqual({ from: start.getTime() - expected, to: UNTIL.getTime() });
});

it('the window of a session without the start of an alert starts before the session', () => {
  const session = sampleSession(sampleAlertPart(null));
  const window = evidenceWindow(session, UNTIL);
  expect(window.from).toBe(session.createdAt.getTime() - 24 * HOUR_MS);
});
