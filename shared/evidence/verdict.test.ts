// The table of verdicts: each rule, each cap, neighbouring rules, and that less evidence never gives a better verdict.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDecisive } from './decisive.ts';
import type { EvidenceState } from './match.ts';
import {
  type CheckedEvidence,
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
  observation: { key: `k${id}`, tool: `s.t${id}`, resource: 'r' },
  isDecisive: false,
  isFailed: false,
  isMasked: false,
  isUntrusted: false,
  isToolChanged: false,
  ...changes,
});
const RIVAL: Partial<CheckedEvidence> = { hypothesis: 'h2' };
const NONE: VerdictFacts = {
  isChecked: true,
  hypotheses: [
    { id: 'h1', component: 'service:a', mechanism: 'memory' },
    { id: 'h2', component: 'service:a', mechanism: 'release' },
    { id: 'h3', component: 'service:b', mechanism: 'load' },
  ],
  evidence: [],
  cause: ['h1'],
  isComponentNamed: true,
  calls: { distinct: 4, unanswered: 0 },
  isSymptomHeld: false,
  isForced: false,
  isServerMissing: false,
};
const facts = (changes: Partial<VerdictFacts>): VerdictFacts => ({ ...NONE, ...changes });
const DECISIVE = evidence('1', { isDecisive: true });
const DIRECT = facts({ evidence: [DECISIVE], isSymptomHeld: true });
const outcome = ({ verdict, rule }: Judgement): string => `${verdict} ${rule}`;

describe('each rule', () => {
  it.each<[string, Partial<VerdictFacts>, string]>([
    ['a ledger that is off', { isChecked: false }, 'undefined R0'],
    [
      'nothing held, and half of the calls without an answer',
      { calls: { distinct: 4, unanswered: 2 } },
      'blocked R1',
    ],
    ['an alert that was never true', { cause: [], allClear: 'never_true' }, 'not_an_incident R2'],
    ['no cause', { cause: [] }, 'inconclusive R3'],
    ['a cause that is no hypothesis', { cause: ['h9'] }, 'inconclusive R3'],
    [
      'a component that the analysis does not name',
      { ...DIRECT, isComponentNamed: false },
      'inconclusive R3',
    ],
    [
      'a contradiction',
      { ...DIRECT, evidence: [DECISIVE, evidence('9', { side: 'against' })] },
      'inconclusive R4',
    ],
    ['a rival with as many supports', { evidence: [evidence('1'), evidence('2', RIVAL)] }, 'inconclusive R4'],
    ['a decisive state', DIRECT, 'confirmed R5'],
    ['one state', { evidence: [evidence('1')] }, 'likely R7'],
    [
      'two texts',
      { evidence: [evidence('1', { yields: 'text' }), evidence('2', { yields: 'text' })] },
      'likely R7',
    ],
    [
      'the alert and a text',
      { evidence: [evidence('1', { yields: 'alert' }), evidence('2', { yields: 'text' })] },
      'likely R7',
    ],
    [
      'a text and an error',
      { evidence: [evidence('1', { yields: 'error' }), evidence('2', { yields: 'text' })] },
      'likely R7',
    ],
    ['one text', { evidence: [evidence('1', { yields: 'text' })] }, 'inconclusive R8'],
    [
      'changes only',
      { evidence: [evidence('1', { yields: 'change' }), evidence('2', { yields: 'change' })] },
      'inconclusive R8',
    ],
    ['the alert only', { evidence: [evidence('1', { yields: 'alert' })] }, 'inconclusive R8'],
    [
      'errors only',
      { evidence: [evidence('1', { yields: 'error' }), evidence('2', { yields: 'error' })] },
      'inconclusive R8',
    ],
  ])('%s', (_, changes, expected) => {
    expect(outcome(judgeSession(facts(changes)))).toBe(expected);
  });
});

describe('neighbouring rules', () => {
  it.each<[string, Partial<VerdictFacts>, string]>([
    ['R0 comes before R1', { isChecked: false, calls: { distinct: 1, unanswered: 1 } }, 'undefined R0'],
    [
      'R1 before R2',
      { cause: [], allClear: 'never_true', calls: { distinct: 2, unanswered: 1 } },
      'blocked R1',
    ],
    ['no R1 with fewer calls', { calls: { distinct: 5, unanswered: 2 } }, 'inconclusive R8'],
    [
      'no R1 with something held',
      { evidence: [evidence('1')], calls: { distinct: 2, unanswered: 2 } },
      'likely R7',
    ],
    ['no R1 without calls', { calls: { distinct: 0, unanswered: 0 } }, 'inconclusive R8'],
    ['R2 before R3', { cause: [], allClear: 'never_true', isComponentNamed: false }, 'not_an_incident R2'],
    [
      'R3 where a state was named',
      { cause: [], allClear: 'never_true', evidence: [evidence('1')] },
      'inconclusive R3',
    ],
    [
      'R3 where a named state is not held',
      { cause: [], allClear: 'never_true', evidence: [evidence('1', { state: 'absent' })] },
      'inconclusive R3',
    ],
    ['R3 where data is missing', { cause: [], allClear: 'incomplete' }, 'inconclusive R3'],
    ['R3 where it is true now', { cause: [], allClear: 'true_now' }, 'inconclusive R3'],
    [
      'R3 before R4',
      { isComponentNamed: false, evidence: [evidence('9', { side: 'against' })] },
      'inconclusive R3',
    ],
    [
      'R4 before R5',
      { ...DIRECT, evidence: [...DIRECT.evidence, evidence('9', { side: 'against', yields: 'text' })] },
      'inconclusive R4',
    ],
    ['no R5 without the symptom', { ...DIRECT, isSymptomHeld: false }, 'likely R7'],
    [
      'no R5 by a text',
      { ...DIRECT, evidence: [evidence('1', { isDecisive: true, yields: 'text' })] },
      'inconclusive R8',
    ],
    [
      'R7 beside an open rival with fewer supports',
      { ...DIRECT, evidence: [DECISIVE, evidence('2', { yields: 'text' }), evidence('3', RIVAL)] },
      'likely R7',
    ],
    [
      'R5 beside a rival that a trusted state refutes',
      { ...DIRECT, evidence: [DECISIVE, evidence('3', RIVAL), evidence('4', { ...RIVAL, side: 'against' })] },
      'confirmed R5',
    ],
    [
      'R4 beside a rival that only a text refutes',
      {
        ...DIRECT,
        evidence: [
          DECISIVE,
          evidence('3', RIVAL),
          evidence('4', { ...RIVAL, side: 'against', yields: 'text' }),
        ],
      },
      'inconclusive R4',
    ],
    [
      'R8 with one text read twice',
      {
        evidence: [
          evidence('1', { yields: 'text' }),
          evidence('2', { yields: 'text', observation: evidence('1').observation }),
        ],
      },
      'inconclusive R8',
    ],
    [
      'R8 with supports that are not held',
      { evidence: [evidence('1', { state: 'echoed' }), evidence('2', { state: 'differs' })] },
      'inconclusive R8',
    ],
  ])('%s', (_, changes, expected) => {
    expect(outcome(judgeSession(facts(changes)))).toBe(expected);
  });
});

it.each<[string, Partial<VerdictFacts>]>([
  ['forced_conclusion', { isForced: true }],
  ['server_missing', { isServerMissing: true }],
  ['tool_changed', { evidence: [{ ...DECISIVE, isToolChanged: true }] }],
  ['masked_quote', { evidence: [{ ...DECISIVE, isMasked: true }] }],
])('%s caps a decisive state to likely', (cap, changes) => {
  expect(judgeSession({ ...DIRECT, ...changes })).toEqual({ verdict: 'likely', rule: 'R5', caps: [cap] });
});

it('a text-only cause names that as its cap', () => {
  const texts = [evidence('1', { yields: 'text' }), evidence('2', { yields: 'text' })];
  expect(judgeSession(facts({ evidence: texts })).caps).toEqual(['text_only']);
});

it('a mask, a changed tool or a failed call beside enough other supports caps nothing', () => {
  const extra = [evidence('3', { isMasked: true, isToolChanged: true }), evidence('4', { isFailed: true })];
  expect(judgeSession({ ...DIRECT, evidence: [DECISIVE, ...extra] }).caps).toEqual([]);
});

it('of several causes the lowest verdict counts, and none is the rival of another', () => {
  const both = [evidence('1', { isDecisive: true }), evidence('2', { hypothesis: 'h2', yields: 'text' })];
  expect(outcome(judgeSession({ ...DIRECT, cause: ['h1', 'h2'], evidence: both }))).toBe('inconclusive R8');
});

it('an alert that was true and is not any more is marked as recovered', () => {
  expect(judgeSession(facts({ cause: [], allClear: 'recovered' }))).toMatchObject({
    verdict: 'inconclusive',
    isRecovered: true,
  });
});

it.each([
  ['Reason: OOMKilled', 'memory', true],
  ['Reason: OOMKilled', 'release', false],
  ['/dev/nvme1n1 200G 200G 0 100% /var/lib', 'disk', true],
  ['/dev/nvme1n1 200G 100G 0 50% /var/lib', 'disk', false],
  ['{"metric":"CPUS","limit":72,"usage":72}', 'quota', true],
  ['{"metric":"CPUS","limit":72,"usage":71}', 'quota', false],
  ['Verify return code: 10 (certificate has expired)', 'certificate', true],
  ['Failed to pull image: manifest unknown', 'release', true],
] as const)('"%s" proves %s: %s', (text, mechanism, expected) => {
  expect(isDecisive(text, mechanism)).toBe(expected);
});

const flag = fc.boolean();
const seldom = fc.integer({ min: 0, max: 5 }).map((number) => number === 0);
const anyEvidence: fc.Arbitrary<CheckedEvidence> = fc.record({
  id: fc.constantFrom('e1', 'e2', 'e3', 'e4', 'e5', 'e6'),
  hypothesis: fc.constantFrom('h1', 'h1', 'h1', 'h2', 'h3'),
  side: fc.constantFrom('for', 'for', 'for', 'against'),
  state: fc.constantFrom<EvidenceState[]>('held', 'held', 'held', 'held', 'absent', 'echoed'),
  yields: fc.constantFrom('state', 'state', 'text', 'change', 'alert', 'error'),
  observation: fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('r', 'q'))
    .map(([number, resource]) => ({ key: `${number}${resource}`, tool: `t${number}`, resource })),
  isDecisive: flag,
  isFailed: seldom,
  isMasked: seldom,
  isUntrusted: seldom,
  isToolChanged: seldom,
});
const anyFacts: fc.Arbitrary<VerdictFacts> = fc.record({
  isChecked: fc.constant(true),
  hypotheses: fc.constant(NONE.hypotheses),
  evidence: fc.array(anyEvidence, { maxLength: 7 }),
  cause: fc.constantFrom(['h1'], ['h1'], ['h1'], ['h1', 'h3'], []),
  isComponentNamed: fc.constant(true),
  calls: fc.constantFrom(
    { distinct: 4, unanswered: 1 },
    { distinct: 2, unanswered: 1 },
    { distinct: 0, unanswered: 0 },
  ),
  allClear: fc.constantFrom('never_true', 'recovered', 'incomplete'),
  isSymptomHeld: flag,
  isForced: seldom,
  isServerMissing: seldom,
});

/** The ways in which the facts of a session can become worse for its cause. */
function worsened(before: VerdictFacts, index: number): VerdictFacts[] {
  const { evidence: all, cause, calls } = before;
  const at = index % Math.max(1, all.length);
  const marked = (mark: Partial<CheckedEvidence>): VerdictFacts => {
    const key = all[at]?.observation.key;
    const changed = all.map((one) => (one.observation.key === key ? { ...one, ...mark } : one));
    return { ...before, evidence: changed };
  };
  const target = all[at];
  const isSupport = target !== undefined && target.side === 'for' && cause.includes(target.hypothesis);
  const added = { yields: 'text', observation: { key: 'new', tool: 'new', resource: 'new' } } as const;
  const failed = marked({ isFailed: true });
  return [
    failed,
    { ...failed, calls: { ...calls, unanswered: Math.min(calls.distinct, calls.unanswered + 1) } },
    marked({ isMasked: true }),
    marked({ isUntrusted: true }),
    ...(isSupport ? [{ ...before, evidence: all.toSpliced(at, 1) }] : []),
    ...(cause.includes('h1')
      ? [{ ...before, evidence: [...all, evidence('new', { ...added, side: 'against' })] }]
      : []),
    { ...before, evidence: [...all, evidence('new', { ...added, hypothesis: 'h2' })] },
  ];
}

it('less support, a contradiction, a better rival or a doubtful result never give a better verdict', () => {
  const seen = new Set<string>();
  const check = fc.property(anyFacts, fc.nat(50), (before, index) => {
    const judged = judgeSession(before);
    seen.add(outcome(judged));
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
  // The ledgers reach every rule.
  expect([...seen].map((one) => one.slice(-2)).sort()).toEqual(
    expect.arrayContaining(['R1', 'R2', 'R3', 'R4', 'R5', 'R7', 'R8']),
  );
});
