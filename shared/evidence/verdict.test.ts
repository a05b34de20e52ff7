// The table of verdicts: rows, caps, neighbouring rows; less evidence never gives a better verdict.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EvidenceState } from './match.ts';
import {
  type CheckedEvidence,
  type CheckedHypothesis,
  type Judgement,
  judgeSession,
  VERDICT_RANK,
  type VerdictFacts,
} from './verdict.ts';

const evidence = (id: string, changes: Partial<CheckedEvidence> = {}): CheckedEvidence => ({
  id,
  hypothesis: 'h1',
  side: 'for',
  state: 'held',
  yields: 'state',
  speaks: 'state',
  contrast: 'open',
  isOfChange: false,
  tool: `s.t${id}`,
  writer: `w${id}`,
  isFailed: false,
  isMasked: false,
  isToolChanged: false,
  ...changes,
});
const hypothesis = (id: string, changes: Partial<CheckedHypothesis> = {}): CheckedHypothesis => ({
  id,
  component: 'service:a',
  mechanism: 'memory',
  isSeen: true,
  changeThings: 0,
  isContradicted: false,
  ...changes,
});
const NONE: VerdictFacts = {
  isChecked: true,
  hypotheses: [
    hypothesis('h1'),
    hypothesis('h2', { mechanism: 'lock' }),
    hypothesis('h3', { component: 'service:b', mechanism: 'load' }),
  ],
  evidence: [],
  cause: ['h1'],
  calls: { distinct: 4, unanswered: 0 },
  isForced: false,
  isServerMissing: false,
  isLinked: (one, other) => [one, other].includes('load'),
  isContrastOff: false,
};
const SHOWN = evidence('1', { contrast: 'shown' });
const TEXTS = ['1', '2'].map((id) => evidence(id, { yields: 'text', speaks: 'text' }));
const CLEAR: Partial<VerdictFacts> = { cause: [], allClear: 'never_true' };
const changed = (changeThings: number, isOfChange = true) => ({
  hypotheses: [hypothesis('h1', { changeThings })],
  evidence: [evidence('1', { speaks: 'nothing', isOfChange })],
});
const HALF = { distinct: 4, unanswered: 2 };
const outcome = ({ verdict, rule }: Judgement): string => `${verdict} ${rule}`;

it.each<[string, Partial<VerdictFacts>, string]>([
  ['nothing was checked', { isChecked: false, calls: HALF }, 'undefined not_checked'],
  ['nothing held, and half of the calls without an answer', { calls: HALF }, 'blocked blocked'],
  [
    'only a failed result held',
    { calls: HALF, evidence: [evidence('1', { isFailed: true })] },
    'blocked blocked',
  ],
  ['half without an answer and something held', { calls: HALF, evidence: [SHOWN] }, 'confirmed contrasted'],
  [
    'fewer than half without an answer',
    { calls: { distinct: 5, unanswered: 2 } },
    'inconclusive unsupported',
  ],
  ['no calls', { calls: { distinct: 0, unanswered: 0 } }, 'inconclusive unsupported'],
  ['an alert that was never true', CLEAR, 'not_an_incident never_true'],
  ['never true, and blocked', { ...CLEAR, calls: HALF }, 'blocked blocked'],
  ['never true beside a state', { ...CLEAR, evidence: [evidence('1')] }, 'inconclusive no_cause'],
  [
    'never true beside a state that is not held',
    { ...CLEAR, evidence: [evidence('1', { state: 'absent', speaks: 'nothing' })] },
    'inconclusive no_cause',
  ],
  [
    'never true beside a state against a cause',
    { ...CLEAR, evidence: [evidence('1', { side: 'against' })] },
    'not_an_incident never_true',
  ],
  [
    'never true beside a text for a cause',
    { ...CLEAR, evidence: [evidence('1', { yields: 'text' })] },
    'not_an_incident never_true',
  ],
  [
    'half without an answer and something that is not held',
    { calls: HALF, evidence: [evidence('1', { state: 'absent' })] },
    'blocked blocked',
  ],
  ['never true, and a cause', { allClear: 'never_true' }, 'inconclusive unsupported'],
  ['a condition without all samples', { cause: [], allClear: 'incomplete' }, 'inconclusive no_cause'],
  ['a condition that is true now', { cause: [], allClear: 'true_now' }, 'inconclusive no_cause'],
  ['no cause', { cause: [] }, 'inconclusive no_cause'],
  [
    'a cause that is no hypothesis beside one that is shown',
    { cause: ['h1', 'h9'], evidence: [SHOWN] },
    'inconclusive no_cause',
  ],
  [
    'two causes of which one was not seen',
    {
      cause: ['h1', 'h2'],
      hypotheses: [hypothesis('h1'), hypothesis('h2', { isSeen: false })],
      evidence: [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown' })],
    },
    'inconclusive no_cause',
  ],
  ['a cause that is no hypothesis', { cause: ['h9'] }, 'inconclusive no_cause'],
  [
    'a cause of which nothing was seen',
    { hypotheses: [hypothesis('h1', { isSeen: false })], evidence: [SHOWN] },
    'inconclusive no_cause',
  ],
  [
    'evidence against it',
    { evidence: [SHOWN, evidence('9', { side: 'against' })] },
    'inconclusive contradicted',
  ],
  [
    'evidence against another one',
    { evidence: [SHOWN, evidence('9', { side: 'against', hypothesis: 'h2' })] },
    'confirmed contrasted',
  ],
  [
    'evidence against it that is not held',
    { evidence: [SHOWN, evidence('9', { side: 'against', state: 'absent' })] },
    'confirmed contrasted',
  ],
  [
    'a contradiction that code found',
    { hypotheses: [hypothesis('h1', { isContradicted: true })], evidence: [SHOWN] },
    'inconclusive contradicted',
  ],
  [
    'a contrasted state of another hypothesis',
    { evidence: [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown' })] },
    'inconclusive contradicted',
  ],
  [
    'a state of another hypothesis without contrast',
    { evidence: [SHOWN, evidence('2', { hypothesis: 'h2' })] },
    'confirmed contrasted',
  ],
  [
    'a contrasted state of a linked hypothesis',
    { evidence: [SHOWN, evidence('2', { hypothesis: 'h3', contrast: 'shown' })] },
    'confirmed contrasted',
  ],
  [
    'a contrasted state of another hypothesis of the same cause',
    {
      hypotheses: [hypothesis('h1'), hypothesis('h2')],
      isLinked: () => false,
      evidence: [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown' })],
    },
    'confirmed contrasted',
  ],
  [
    'a contrasted state of the same mechanism of another component',
    {
      hypotheses: [hypothesis('h1'), hypothesis('h2', { component: 'service:b' })],
      isLinked: () => false,
      evidence: [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown' })],
    },
    'inconclusive contradicted',
  ],
  [
    'a contrasted state of another hypothesis that speaks of nothing',
    { evidence: [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown', speaks: 'nothing' })] },
    'confirmed contrasted',
  ],
  [
    'only a contrasted state against it that is not held',
    { evidence: [{ ...SHOWN, side: 'against', state: 'absent' }] },
    'inconclusive unsupported',
  ],
  [
    'a contrasted state that is not held',
    { evidence: [{ ...SHOWN, state: 'echoed' }] },
    'inconclusive unsupported',
  ],
  ['a contrasted state', { evidence: [SHOWN] }, 'confirmed contrasted'],
  [
    'a contrasted state of a failed result',
    { evidence: [{ ...SHOWN, isFailed: true }] },
    'inconclusive unsupported',
  ],
  [
    'a contrasted state of another mechanism',
    { evidence: [{ ...SHOWN, speaks: 'nothing' }] },
    'inconclusive unsupported',
  ],
  ['the three things of a change', changed(3), 'confirmed change'],
  ['the three things of a change that no evidence cites', changed(3, false), 'inconclusive unsupported'],
  [
    'a contrasted state of a mechanism that is a change',
    { hypotheses: [hypothesis('h1', { mechanism: 'config' })], evidence: [SHOWN] },
    'likely state',
  ],
  ['a state', { evidence: [evidence('1')] }, 'likely state'],
  ['a state that is usual', { evidence: [evidence('1', { contrast: 'usual' })] }, 'inconclusive unsupported'],
  ['two of the three things of a change', changed(2), 'likely change'],
  ['a change alone', changed(1), 'inconclusive unsupported'],
  ['two texts', { evidence: TEXTS }, 'likely texts'],
  [
    'two texts of one tool',
    { evidence: TEXTS.map((one) => ({ ...one, tool: 't' })) },
    'inconclusive unsupported',
  ],
  [
    'two texts of one writer',
    { evidence: TEXTS.map((one) => ({ ...one, writer: 'w' })) },
    'inconclusive unsupported',
  ],
  [
    'a text, and a quote that speaks of nothing',
    { evidence: TEXTS.map((one, index) => ({ ...one, ...(index === 1 && { speaks: 'nothing' as const }) })) },
    'inconclusive unsupported',
  ],
  [
    'the three things of a change, of which one quote is not',
    { ...changed(3), evidence: [...changed(3).evidence, evidence('2', { speaks: 'nothing' })] },
    'confirmed change',
  ],
  ['one text', { evidence: TEXTS.slice(0, 1) }, 'inconclusive unsupported'],
])('%s', (_, changes, expected) => {
  expect(outcome(judgeSession({ ...NONE, ...changes }))).toBe(expected);
});

it.each<[string, Partial<VerdictFacts>]>([
  ['forced_conclusion', { isForced: true }],
  ['server_missing', { isServerMissing: true }],
  ['contrast_off', { isContrastOff: true }],
  ['tool_changed', { evidence: [{ ...SHOWN, isToolChanged: true }] }],
  ['masked_quote', { evidence: [{ ...SHOWN, isMasked: true }] }],
])('%s caps a contrasted state to likely', (cap, changes) => {
  const judged = judgeSession({ ...NONE, evidence: [SHOWN], ...changes });
  expect(judged).toEqual({ verdict: 'likely', rule: 'contrasted', caps: [cap], cause: 'h1' });
});

it('with contrast off, only a state that could be contrasted is capped', () => {
  const judge = (changes: Partial<VerdictFacts>) =>
    judgeSession({ ...NONE, isContrastOff: true, ...changes });
  expect(judge({ evidence: [evidence('1')] })).toEqual({
    verdict: 'likely',
    rule: 'state',
    caps: ['contrast_off'],
    cause: 'h1',
  });
  expect(judge({ evidence: TEXTS })).toEqual({ verdict: 'likely', rule: 'texts', caps: [], cause: 'h1' });
  expect(judgeSession({ ...NONE, evidence: [evidence('1')] }).caps).toEqual([]);
});

it('a mask, a changed tool or a failed call beside another contrasted state caps nothing', () => {
  const marked = { ...SHOWN, id: '2', isMasked: true, isToolChanged: true };
  const judged = judgeSession({ ...NONE, evidence: [marked, { ...SHOWN, id: '3', isFailed: true }, SHOWN] });
  expect(judged.caps).toEqual([]);
});

it('of several causes the lowest verdict counts, and none speaks against another', () => {
  const both = [SHOWN, evidence('2', { hypothesis: 'h2', contrast: 'shown', speaks: 'nothing' })];
  for (const cause of [
    ['h1', 'h2'],
    ['h2', 'h1'],
  ])
    expect(judgeSession({ ...NONE, cause, evidence: both })).toEqual({
      verdict: 'inconclusive',
      rule: 'unsupported',
      caps: [],
      cause: 'h2',
    });
  const equal = both.map((one) => ({ ...one, speaks: 'state' as const }));
  expect(judgeSession({ ...NONE, cause: ['h1', 'h2'], evidence: equal })).toMatchObject({
    verdict: 'confirmed',
    cause: 'h1',
  });
});

it('an alert that was true and is not any more is marked as recovered', () => {
  expect(judgeSession({ ...NONE, cause: [], allClear: 'recovered' })).toMatchObject({
    verdict: 'inconclusive',
    isRecovered: true,
  });
});

const seldom = fc.integer({ min: 0, max: 5 }).map((number) => number === 0);
const anyEvidence: fc.Arbitrary<CheckedEvidence> = fc.record({
  id: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6'),
  hypothesis: fc.constantFrom('h1', 'h1', 'h1', 'h2', 'h3'),
  side: fc.constantFrom('for', 'for', 'for', 'against'),
  state: fc.constantFrom<EvidenceState[]>('held', 'held', 'held', 'held', 'absent', 'echoed'),
  yields: fc.constantFrom('state', 'state', 'text', 'change', 'alert', 'error', 'person'),
  speaks: fc.constantFrom('state', 'state', 'text', 'nothing'),
  contrast: fc.constantFrom('shown', 'shown', 'usual', 'open'),
  isOfChange: fc.boolean(),
  tool: fc.constantFrom('t1', 't2', 't3'),
  writer: fc.constantFrom('w1', 'w2'),
  isFailed: seldom,
  isMasked: seldom,
  isToolChanged: seldom,
});
const anyFacts: fc.Arbitrary<VerdictFacts> = fc.record({
  isChecked: fc.constant(true),
  hypotheses: fc
    .tuple(fc.constantFrom(0, 0, 0, 1, 2, 3), seldom, seldom, fc.constantFrom('memory', 'release'))
    .map(([changeThings, isContradicted, isUnseen, mechanism]) => [
      hypothesis('h1', { mechanism, changeThings, isContradicted, isSeen: !isUnseen }),
      ...NONE.hypotheses.slice(1),
    ]),
  evidence: fc.array(anyEvidence, { maxLength: 6 }),
  cause: fc.constantFrom(['h1'], ['h1'], ['h1'], ['h1', 'h3'], []),
  calls: fc.constantFrom(
    { distinct: 4, unanswered: 1 },
    { distinct: 2, unanswered: 1 },
    { distinct: 0, unanswered: 0 },
  ),
  allClear: fc.constantFrom('never_true', 'recovered', 'incomplete'),
  isForced: seldom,
  isServerMissing: seldom,
  isLinked: fc.constant(NONE.isLinked),
  isContrastOff: seldom,
});

/** The ways in which the facts of a session can become worse for its cause. */
function worsened(before: VerdictFacts, index: number): VerdictFacts[] {
  const { evidence: all, cause, calls, hypotheses } = before;
  const at = index % Math.max(1, all.length);
  const target = all[at];
  const isSupport = target !== undefined && target.side === 'for' && cause.includes(target.hypothesis);
  const marked = (mark: Partial<CheckedEvidence>, isAllowed = true): VerdictFacts[] =>
    target === undefined || !isAllowed ? [] : [{ ...before, evidence: all.with(at, { ...target, ...mark }) }];
  const added = (more: Partial<CheckedEvidence>) => ({
    ...before,
    evidence: [...all, evidence('new', more)],
  });
  const [failed = before] = marked({ isFailed: true });
  return [
    failed,
    { ...failed, calls: { ...calls, unanswered: Math.min(calls.distinct, calls.unanswered + 1) } },
    ...marked({ isMasked: true }),
    ...marked({ isToolChanged: true }),
    // A field that was read as a state is a text.
    ...marked({ speaks: 'nothing' }, isSupport),
    ...marked({ contrast: 'open' }, isSupport && target.contrast === 'shown'),
    ...marked({ contrast: 'usual' }, isSupport),
    ...marked({ isOfChange: false }, isSupport),
    ...(isSupport ? [{ ...before, evidence: all.toSpliced(at, 1) }] : []),
    { ...before, hypotheses: hypotheses.map((one) => ({ ...one, isContradicted: true })) },
    {
      ...before,
      hypotheses: hypotheses.map((one) => ({ ...one, changeThings: Math.max(0, one.changeThings - 1) })),
    },
    { ...before, isContrastOff: true },
    ...(cause.includes('h1') ? [added({ yields: 'text', speaks: 'nothing', side: 'against' })] : []),
    added({ hypothesis: 'h2', contrast: 'shown' }),
  ];
}

it('less support, a contradiction, a usual state or a doubtful result never give a better verdict', () => {
  const seen = new Set<string>();
  const check = fc.property(anyFacts, fc.nat(50), (before, index) => {
    const judged = judgeSession(before);
    seen.add(judged.rule);
    for (const after of worsened(before, index)) {
      const { verdict } = judgeSession(after);
      if (judged.verdict === 'not_an_incident') continue;
      expect(verdict).not.toBe('not_an_incident');
      const rank = (one: Judgement['verdict']) =>
        one === undefined || one === 'not_an_incident' ? -1 : VERDICT_RANK[one];
      expect(rank(verdict)).toBeLessThanOrEqual(rank(judged.verdict));
    }
  });
  fc.assert(check, { numRuns: 2000, seed: 1 });
  const rows = [
    'blocked',
    'never_true',
    'no_cause',
    'contradicted',
    'contrasted',
    'change',
    'state',
    'texts',
    'unsupported',
  ];
  expect([...seen].sort()).toEqual(rows.sort());
});
