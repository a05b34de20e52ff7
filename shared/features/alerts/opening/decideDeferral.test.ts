import { expect, it } from 'vitest';
import { sampleAlert, sampleAlertPart, sampleSession } from '../../../../test/support/samples.ts';
import type { Alert } from '../../../alerts/schema/alert.ts';
import { rerunPart } from '../../../alerts/schema/rerun.ts';
import { withPart } from '../../../core/schema/parts.ts';
import { decideDeferral } from './decideDeferral.ts';

const BUDGET = { reason: 'budget', subject: 'default', text: 'The budget is used up.' };
/** The deferral of a session with this alert; that of the features unless a rule before them applies. */
const decide = (alert: Partial<Alert> | null, triaged: object = {}, changes: object = {}) => {
  const session = sampleSession(sampleAlertPart(alert && sampleAlert(alert)));
  const features = { defer: async () => BUDGET };
  const intake = { config: { own: { services: [], projectId: null } }, features, deps: {} } as never;
  return decideDeferral({ ...session, ...changes }, triaged as never, intake);
};
const investigated = { triage: { action: 'investigate', namesState: true } };

it.each<[Partial<Alert> | null, object, object]>([
  [{ status: 'firing' }, {}, BUDGET],
  [{ status: 'unknown' }, {}, BUDGET],
  [null, {}, BUDGET],
  [{ status: 'resolved' }, {}, { reason: 'resolved', subject: 'resolved', text: 'The alert is resolved.' }],
  [
    { status: 'acknowledged' },
    { proof: 'It arrived.' },
    { reason: 'acknowledged', subject: 'acknowledged', text: 'The alert is already acknowledged.' },
  ],
  [
    { status: 'test' },
    { proof: 'It arrived.' },
    { reason: 'test', subject: 'test', text: 'The alert is a test of its source. It arrived.' },
  ],
  [{ status: 'test' }, {}, { reason: 'test', subject: 'test', text: 'The alert is a test of its source.' }],
  [{ status: 'resolved' }, investigated, BUDGET],
  [
    { status: 'resolved' },
    { triage: { action: 'investigate', namesState: false } },
    { reason: 'resolved', subject: 'resolved', text: 'The alert is resolved.' },
  ],
  [
    { status: 'resolved' },
    { triage: { action: 'record', namesState: true } },
    { reason: 'resolved', subject: 'resolved', text: 'The alert is resolved.' },
  ],
  [{ status: 'firing' }, { triage: { deferral: { reason: 'rule' } } }, { reason: 'rule' }],
])('an alert %j with %j is deferred by the first rule that applies', async (alert, triaged, expected) => {
  expect(await decide(alert, triaged)).toEqual(expected);
});

it('the status of an alert does not defer a rerun', async () => {
  const session = sampleSession(sampleAlertPart(sampleAlert({ status: 'resolved' })));
  const { parts } = withPart(rerunPart, session, { of: 'session-0' });
  expect(await decide({ status: 'resolved' }, {}, { parts })).toEqual(BUDGET);
});
