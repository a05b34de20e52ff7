import { expect, it } from 'vitest';
import type { OutcomeCheck, Probe } from '../../kits/alerts/outcome.ts';
import { decideOutcome } from './decideOutcome.ts';

const at = (hours: number) => new Date(Date.UTC(2026, 10, 5, hours));
const probe = (id: string, action: string | null = null) => ({ id, action }) as Probe;
const PROBES = [probe('a.p1', 'restart api-7 now'), probe('a.p2', 'scale db-1 up')];
/** A check at an hour with the results of the probes: true, false, or why it was not answered. */
const check = (hour: number, ...results: (boolean | string)[]): OutcomeCheck => ({
  stageId: 's',
  startedAt: at(hour),
  endedAt: at(hour),
  results: results.map((one) =>
    typeof one === 'string' ? { holds: null, why: one } : { holds: one, why: null },
  ),
});
const action = (hour: number, text: string, by = 'ada') => ({ text, by, at: at(hour) });
const decide = (
  checks: OutcomeCheck[],
  { before = { value: null, reason: null }, ...facts }: { before?: object; [name: string]: unknown } = {},
) => {
  const known = { probes: PROBES, checks, actions: [], isFiringAgain: false, component: undefined, ...facts };
  return decideOutcome(known as never, before as never);
};

it.each<[string, OutcomeCheck[], object, string, string]>([
  ['no check', [], {}, 'unknown', 'No probe was answered.'],
  ['no answer', [check(1, 'a is down', 'b is down')], {}, 'unknown', 'a is down'],
  [
    'no answer after an outcome',
    [check(1, true, true), check(2, 'down', 'down')],
    { before: { value: 'held', reason: 'It held.' } },
    'held',
    'It held.',
  ],
  [
    'no answer after an unknown outcome',
    [check(2, 'down', 'down')],
    { before: { value: 'unknown', reason: 'It was unknown.' } },
    'unknown',
    'down',
  ],
  ['one problem', [check(1, true, false)], {}, 'unknown', 'a.p2 is still as during the problem.'],
  ['two problems', [check(1, false, false)], {}, 'unknown', 'a.p1, a.p2 are still as during the problem.'],
  [
    'a problem after a check without any',
    [check(1, true, 'down'), check(2, false, true)],
    {},
    'recurred',
    'a.p1 is again as during the problem.',
  ],
  [
    'a problem after checks that never were without one',
    [check(1, true, false), check(2, 'down', 'down'), check(3, true, false)],
    {},
    'unknown',
    'a.p2 is still as during the problem.',
  ],
  [
    'an alert that fires again',
    [check(1, true, 'down')],
    { isFiringAgain: true },
    'recurred',
    'Its source reports the alert again.',
  ],
  [
    'nothing left',
    [check(1, true, true)],
    {},
    'self_resolved',
    'a.p1, a.p2 changed as stated without a recorded action.',
  ],
  [
    'an action at the time of the check, or later',
    [check(2, true, true)],
    { actions: [action(2, 'restarted api-7'), action(3, 'restarted api-7')] },
    'self_resolved',
    'a.p1, a.p2 changed as stated without a recorded action.',
  ],
  [
    'the proposed action',
    [check(2, true, true)],
    { actions: [action(0, 'called a colleague'), action(1, 'restarted api-7')] },
    'held',
    'a.p1, a.p2 changed as stated after the action "restarted api-7" of ada.',
  ],
  [
    'the action of a probe that was not answered',
    [check(2, true, 'down')],
    { actions: [action(1, 'scaled db-1')] },
    'overridden',
    'a.p1 changed as stated after an action that the analysis did not name: "scaled db-1" of ada.',
  ],
  [
    'other actions',
    [check(3, true, true)],
    { actions: [action(1, 'drained a node'), action(2, 'x'.repeat(300), 'bob')] },
    'overridden',
    `a.p1, a.p2 changed as stated after an action that the analysis did not name: "${'x'.repeat(200)}…" of bob.`,
  ],
  [
    'the action on the component of the cause',
    [check(2, true)],
    {
      probes: [probe('a.p1', 'restart checkout')],
      component: 'k8s:prod/shop/checkout',
      actions: [action(1, 'restarted checkout')],
    },
    'held',
    'a.p1 changed as stated after the action "restarted checkout" of ada.',
  ],
])('the outcome with %s', (_, checks, facts, value, reason) => {
  expect(decide(checks, facts as never)).toEqual({ value, reason });
});
