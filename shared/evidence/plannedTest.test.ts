import { expect, it } from 'vitest';
import { decideTest, type PlannedTest, type TestCourse } from './plannedTest.ts';

const TEST: PlannedTest = {
  id: 't1',
  hypothesis: 'h1',
  against: 'h2',
  find: 'restart count',
  is: 'above',
  value: '3',
};
const COURSE: TestCourse = {
  result: 'restart count: 4',
  isStatedFirst: true,
  isAnsweredEarlier: false,
  shown: [],
  areRivals: true,
  others: [],
};
const decide = (test: Partial<PlannedTest>, course: Partial<TestCourse> = {}) =>
  decideTest({ ...TEST, ...test }, { ...COURSE, ...course });

it.each<[Partial<PlannedTest>, string, string]>([
  [{}, 'restart count: 4', 'passed'],
  [{}, 'restart count: 3', 'failed'],
  [{}, 'no such line', 'unanswered'],
  [{}, 'restart count: many', 'unanswered'],
  [{}, 'restart count: 2\nrestart count: 9', 'unanswered'],
  [{ value: 'four' }, 'restart count: 4', 'unanswered'],
  [{ is: 'below', find: 'memory', value: '256Mi' }, 'memory used 0.2Gi', 'passed'],
  [{ is: 'below', find: 'memory', value: '256Mi' }, 'memory used 300000000', 'failed'],
  [{ is: 'above', find: 'latency', value: '2 s' }, 'latency 2500 ms', 'passed'],
  [{ is: 'above', find: 'latency', value: '2 s' }, 'latency 250 MiB', 'unanswered'],
  [
    { is: 'above', find: 'last restart', value: '2026-11-17T09:00:00Z' },
    'last restart 2026-11-17T08:00:00Z',
    'failed',
  ],
  [{ is: 'equals', find: 'exit code', value: '137' }, 'exit code 137', 'passed'],
  [{ is: 'equals', find: 'memory', value: '1.2Gi' }, 'memory 1288490188', 'passed'],
  [{ is: 'equals', find: '/status/exitCode', value: '137' }, '{"status":{"exitCode":1}}', 'failed'],
  [{ is: 'above', find: '/items/0/restarts', value: '3' }, '{"items":[{"restarts":4}]}', 'passed'],
  [{ is: 'present', find: 'OOMKilled' }, 'reason OOMKilled', 'passed'],
  [{ is: 'present', find: 'OOMKilled' }, 'reason Error', 'failed'],
  [{ is: 'absent', find: 'OOMKilled' }, 'reason Error', 'passed'],
  [{ is: 'absent', find: 'OOMKilled' }, 'reason OOMKilled', 'failed'],
  [{ is: 'present', find: '/status/reason' }, '{"status":{"reason":"x"}}', 'passed'],
])('%o of "%s" is %s', (test, result, outcome) => {
  expect(decide(test, { result })).toEqual({ outcome });
});

it.each<[string, Partial<TestCourse>, object]>([
  ['has no answer', { result: undefined }, { outcome: 'unanswered' }],
  ['was stated after its call', { isStatedFirst: false }, { outcome: 'void', why: 'stated_late' }],
  ['asks what was answered', { isAnsweredEarlier: true }, { outcome: 'void', why: 'answered_earlier' }],
  ['expects what was shown', { shown: ['restart count: 8'] }, { outcome: 'void', why: 'already_shown' }],
  ['separates nothing', { areRivals: false }, { outcome: 'void', why: 'no_opposite' }],
  [
    'has a rival that expects the same',
    { others: [{ ...TEST, id: 't2', hypothesis: 'h2', against: 'h1' }] },
    { outcome: 'void', why: 'no_opposite' },
  ],
])('a test that %s does not count', (_, course, outcome) => {
  expect(decide({}, course)).toEqual(outcome);
});

it('a rival that expects the opposite, and other shown values, leave a test valid', () => {
  const others: PlannedTest[] = [{ ...TEST, id: 't2', hypothesis: 'h2', against: 'h1', is: 'below' }];
  expect(decide({}, { others, shown: ['restart count: 2'] })).toEqual({ outcome: 'passed' });
});
