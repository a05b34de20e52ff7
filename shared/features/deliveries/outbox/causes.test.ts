import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleApproval,
  sampleEvent,
  sampleIncident,
  sampleSession,
  sampleStage,
  sampleVerdict,
} from '../../../../test/support/samples.ts';
import { checkPart } from '../../../alerts/schema/sessionCheck.ts';
import type { Version } from '../../../core/contract/store.ts';
import { NO_PARTS, withPart } from '../../../core/schema/parts.ts';
import { verdictPart } from '../../../evidence/schema/verdict.ts';
import type { AnnouncedByFeatures } from '../../../kits/alerts/announced.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';
import { causesOf, causesOfEnd, isOfEnd, wantedCauses } from './causes.ts';

const NOTIFY = { to: 'oncall', when: ['ended', 'failed'], digestMs: null };

it.each([
  [undefined, sampleVerdict('likely'), 'completed', 2],
  [['likely'], sampleVerdict('likely'), 'completed', 2],
  [['confirmed'], sampleVerdict('likely'), 'completed', 0],
  [['not_checked'], sampleVerdict(null), 'completed', 2],
  [['not_checked'], null, 'completed', 2],
  [['confirmed'], null, 'completed', 0],
  [['confirmed'], null, 'failed', 2],
] as const)(
  'a destination for the verdicts %j gets of %j, %s, %i messages',
  (verdict, own, status, count) => {
    const session = sampleSession({ status, ...withPart(verdictPart, NO_PARTS, own ?? undefined) });
    const notify = { ...NOTIFY, ...(verdict && { verdict: [...verdict] }) };
    expect(wantedCauses(notify, causesOfEnd(session), session)).toHaveLength(count);
  },
);

const RESOLVED = { event: 'resolved', key: 'a', wanted: 'resolved' };
const EDIT = { ...RESOLVED, event: 'progress' };

it.each([
  [['opened', 'ended', 'resolved'], undefined, [RESOLVED]],
  // Its first message is edited, and no other message is sent.
  [['opened', 'ended'], undefined, [EDIT]],
  [['ended', 'resolved'], ['confirmed'], [EDIT]],
  [['approval'], undefined, []],
])(
  'a destination that wants %j, for the verdicts %j, gets of the end of a problem: %j',
  (when, verdict, wanted) => {
    const notify = { ...NOTIFY, when, ...(verdict && { verdict }) };
    expect(
      wantedCauses(
        notify,
        [RESOLVED],
        sampleSession(withPart(verdictPart, NO_PARTS, sampleVerdict('likely'))),
      ),
    ).toEqual(wanted);
  },
);

/** The causes in short: `event.key for wanted`. */
const causesIn = (before: AnnouncedByFeatures, after: AnnouncedByFeatures): string[] =>
  causesOf(before, after).map(({ event, key, wanted }) => `${event}.${key} for ${wanted}`);

const RUNNING = sampleSession();
const STAGE = sampleStage();
const CHECK = {
  ...{ checkId: 'c', schedule: null, slot: SAMPLE_TIME, question: null, previous: 'healthy' as const },
  ...{ delivers: 'changed' as const, result: null },
};
const CHECKED = sampleSession(withPart(checkPart, NO_PARTS, CHECK));

describe('the start of a session', () => {
  it.each<[string, AnnouncedByFeatures, AnnouncedByFeatures, string[]]>([
    ['its first stage', {}, { session: RUNNING, stages: [STAGE] }, ['opened.1 for opened']],
    ['a stage that is stored again', { stages: [STAGE] }, { session: RUNNING, stages: [STAGE] }, []],
    [
      'a second stage',
      { stages: [STAGE] },
      { session: RUNNING, stages: [STAGE, sampleStage({ stageId: '2', index: 2 })] },
      ['progress.2 for opened'],
    ],
    [
      'a synthesis as its first stage',
      {},
      { session: RUNNING, stages: [sampleStage({ stageId: '1', kind: 'synthesis' })] },
      ['progress.1 for opened'],
    ],
    ['a question after its end', {}, { session: RUNNING, stages: [sampleStage({ kind: 'chat' })] }, []],
    ['a stage without its session', {}, { stages: [STAGE] }, []],
    [
      'a budget that it waits for',
      {},
      { session: sampleSession({ status: 'deferred' }), stages: [STAGE] },
      ['deferred.1 for deferred'],
    ],
    [
      'a further write while it waits',
      { session: sampleSession({ status: 'deferred' }) },
      { session: sampleSession({ status: 'deferred' }) },
      [],
    ],
    ['a check', {}, { session: CHECKED, stages: [STAGE] }, []],
  ])('causes, with %s, its messages', (_, before, after, causes) => {
    expect(causesIn(before, after)).toEqual(causes);
  });
});

describe('an approval and a question', () => {
  const pending = sampleApproval({ approvalId: 'a', status: 'pending' });
  const denied = sampleApproval({ approvalId: 'a', status: 'denied' });
  const other = sampleApproval({ approvalId: 'b', status: 'pending' });
  const asked = ['approval.a for approval', 'progress.approval-a for opened'];
  const decided = ['decided.a for approval', 'progress.decided-a for opened'];

  it.each<[string, AnnouncedByFeatures, AnnouncedByFeatures, string[]]>([
    ['requested', {}, { approvals: [pending] }, asked],
    ['requested beside another', { approvals: [other] }, { approvals: [other, pending] }, asked],
    ['decided', { approvals: [pending] }, { approvals: [denied] }, decided],
    ['stored again', { approvals: [pending] }, { approvals: [pending] }, []],
    ['stored again beside another', { approvals: [other, pending] }, { approvals: [pending] }, []],
  ])('%s causes its messages once', (_, before, after, causes) => {
    expect(causesIn(before, after)).toEqual(causes);
  });

  it('the second of them only for a tool that asks people', () => {
    const elicit = sampleEvent('action', { executionId: '1-x', sequenceNumber: 7 });
    const asks = { ...elicit, metadata: { ...elicit.metadata, actionType: 'elicit' } } as typeof elicit;
    expect(causesIn({}, { events: [{ ...elicit, sequenceNumber: 6 }, sampleEvent('notice'), asks] })).toEqual(
      ['asked.1-x.000007 for approval'],
    );
  });
});

describe('an outcome', () => {
  const check = { stageId: null, startedAt: SAMPLE_TIME, endedAt: SAMPLE_TIME, results: [] };
  const outcome = (changes: Partial<Outcome>) => ({
    outcome: { value: 'held', checks: [check], dueAt: null, ...changes } as Outcome,
  });

  it.each([
    [{}, ['outcome.held for outcome']],
    [{ dueAt: SAMPLE_TIME }, ['outcome.held for outcome']],
    [{ value: null }, []],
    [{ checks: [] }, []],
    [{ checks: [check, { ...check, endedAt: null }] }, []],
    [{ value: 'unknown' as const, dueAt: SAMPLE_TIME }, []],
    [{ value: 'unknown' as const }, ['outcome.unknown for outcome']],
  ])('that is %j causes %j', (changes, causes) => {
    expect(causesIn({}, outcome(changes))).toEqual(causes);
  });
});

describe('a problem', () => {
  const stored = (changes: Parameters<typeof sampleIncident>[0], version = 'v1') => ({
    incident: {
      ...{ id: 'i', path: 'incidents/i', version: version as unknown as Version, updatedAt: SAMPLE_TIME },
      value: sampleIncident({ sessionId: 's', resolvedAt: SAMPLE_TIME, ...changes }),
    },
  });
  const FIRES = stored({ firing: true });
  const OVER = stored({ firing: false });

  it('that ends, or fires again, causes a message with a key of its own', () => {
    const [end] = causesOf(FIRES, OVER);
    expect(end).toEqual({
      event: 'resolved',
      key: expect.stringMatching(/^[0-9a-f]{20}$/),
      wanted: 'resolved',
    });
    expect(causesOf(OVER, FIRES)).toEqual([{ ...end, event: 'progress' }]);
    const [again] = causesOf(stored({ firing: true }, 'v2'), OVER);
    expect(again?.key).not.toBe(end?.key);
  });

  it.each<[string, AnnouncedByFeatures, AnnouncedByFeatures]>([
    ['is new', {}, OVER],
    ['is no longer stored', FIRES, {}],
    ['fires as before', FIRES, FIRES],
    ['has no session', stored({ firing: true, sessionId: null }), stored({ firing: false, sessionId: null })],
    ['moves to another session', stored({ firing: true, sessionId: 't' }), OVER],
    ['was never resolved', FIRES, stored({ firing: false, resolvedAt: null })],
  ])('that %s causes none', (_, before, after) => {
    expect(causesOf(before, after)).toEqual([]);
  });
});

describe('the end of a session', () => {
  const end = (wanted: string) => [`${wanted}.1 for ${wanted}`, `details.1 for ${wanted}`];

  it.each([
    ['in_progress', []],
    ['deferred', []],
    ['completed', end('ended')],
    ['failed', end('failed')],
    ['timed_out', end('failed')],
    ['cancelled', end('failed')],
  ] as const)('that is %s causes %j', (status, causes) => {
    const session = sampleSession({ status });
    expect(causesIn({ session }, { session })).toEqual(causes);
  });

  it.each([
    ['Check result: attention', 'changed', 2],
    ['Check result: healthy', 'changed', 0],
    ['Check result: healthy', 'always', 2],
  ] as const)(
    'that is a check (%s, delivered if %s) causes %d messages',
    (finalAnalysis, delivers, count) => {
      const part = withPart(checkPart, NO_PARTS, { ...CHECK, delivers });
      const session = sampleSession({ ...part, status: 'completed', finalAnalysis });
      expect(causesOf({}, { session })).toHaveLength(count);
    },
  );

  it.each([
    [{ event: 'ended', key: '1' }, true],
    [{ event: 'failed', key: '1' }, true],
    [{ event: 'details', key: '1' }, true],
    [{ event: 'progress', key: 'end' }, true],
    [{ event: 'progress', key: '1' }, false],
  ])('has %j among its messages: %s', (cause, isOf) => {
    expect(isOfEnd(cause)).toBe(isOf);
  });

  it('with a verdict that a destination does not want is an edit of its first message, if it has one', () => {
    const part = withPart(verdictPart, NO_PARTS, sampleVerdict('likely'));
    const session = sampleSession({ ...part, status: 'completed' });
    const causes = causesOfEnd(session);
    const notify = { ...NOTIFY, when: ['opened', 'ended'], verdict: ['confirmed'] };
    expect(wantedCauses(notify, causes, session)).toEqual([
      { event: 'progress', key: 'end', wanted: 'opened' },
    ]);
    expect(wantedCauses({ ...notify, when: ['ended'] }, causes, session)).toEqual([]);
    expect(wantedCauses({ ...notify, when: ['opened'] }, causes, session)).toEqual([]);
  });
});
