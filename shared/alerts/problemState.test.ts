import { describe, expect, it } from 'vitest';
import { decideProblem, type ReportedProblem } from './problemState.ts';
import type { Alert } from './schema/alert.ts';

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 28, 18, minutes));
const fires = (minutes: number): ReportedProblem => ({
  firing: true,
  firesSince: at(minutes),
  resolvedAt: null,
});
const over = (minutes: number): ReportedProblem => ({
  firing: false,
  firesSince: at(0),
  resolvedAt: at(minutes),
});
const known: ReportedProblem = { firing: false, firesSince: null, resolvedAt: null };
const opened = (status: Alert['status']) => ({ alert: { status }, createdAt: at(2) });

describe('the problem of a session', () => {
  it.each<[string, Alert['status'], ReportedProblem | undefined, number, [string, Date | null, number]]>([
    ['fires since its start', 'firing', fires(1), 1, ['firing', at(1), 0]],
    ['is repeated', 'firing', fires(1), 15, ['firing', at(1), 14]],
    ['was resolved after its first report', 'firing', over(25), 15, ['resolved', at(25), 14]],
    ['fires again', 'resolved', fires(40), 1, ['firing', at(40), 0]],
    ['names no state, and is repeated', 'unknown', fires(1), 15, ['unknown', null, 14]],
    ['names no state until it is resolved', 'unknown', over(25), 1, ['resolved', at(25), 0]],
    ['is only acknowledged', 'acknowledged', known, 0, ['acknowledged', null, 0]],
    ['fired, and its end cannot be recognised', 'firing', undefined, 0, ['unknown', null, 0]],
    ['is a text', 'unknown', undefined, 0, ['unknown', null, 0]],
    ['was resolved, without an identity', 'resolved', undefined, 0, ['resolved', at(2), 0]],
    ['is a test', 'test', undefined, 0, ['test', null, 0]],
  ])('%s', (_, status, own, firing, [state, time, repeats]) => {
    const problem = decideProblem(opened(status), { own, merged: [], firing });
    expect(problem).toEqual({ status: state, at: time, repeats });
  });

  it.each<[string, ReportedProblem | undefined, ReportedProblem[], [string, Date | null]]>([
    ['one of them fires', over(25), [over(20), fires(5)], ['firing', at(5)]],
    ['the first one fires since', fires(10), [fires(5)], ['firing', at(5)]],
    ['all are over since the last one', over(25), [over(30)], ['resolved', at(30)]],
    ['one is not known to be over', undefined, [over(30)], ['unknown', null]],
  ])('of several: %s', (_, own, merged, [status, time]) => {
    expect(decideProblem(opened('firing'), { own, merged, firing: 1 })).toMatchObject({ status, at: time });
  });

  it('is none without an alert', () => {
    const none = { own: undefined, merged: [], firing: 0 };
    expect(decideProblem({ alert: null, createdAt: at(0) }, none)).toBeNull();
  });
});
