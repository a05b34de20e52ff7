import { expect, it } from 'vitest';
import { sampleSession, sampleVerdict } from '../../../../test/support/samples.ts';
import { NO_PARTS, withPart } from '../../../core/schema/parts.ts';
import { verdictPart } from '../../../evidence/schema/verdict.ts';
import { causesOfEnd, wantedCauses } from './causes.ts';

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
