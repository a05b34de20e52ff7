// The tests of a ledger, decided by the results of its conversation. Pure.

import type { Hypothesis, Ledger, StatedTest } from '../../evidence/ledger.ts';
import { observationOf } from '../../evidence/observation.ts';
import { decideTest, type TestOutcome } from '../../evidence/plannedTest.ts';
import type { CitableResults } from './citableResults.ts';

/** A test with its outcome. */
export interface DecidedTest {
  test: StatedTest;
  decision: TestOutcome;
  /** Whether it was decided by a state. */
  isState: boolean;
}

/** Decides every test of a ledger. */
export function checkTests({ tests, hypotheses }: Ledger, { results, alert }: CitableResults): DecidedTest[] {
  const all = [...tests.values()];
  return all.map((test) => {
    const { key } = observationOf(test);
    const equal = results.filter((result) => result.key === key);
    const answer = equal.find(({ message }) => message > test.statedAt);
    const decision = decideTest(test, {
      result: answer === undefined || answer.isError ? undefined : answer.text,
      isStatedFirst: answer !== undefined,
      isAnsweredEarlier: equal.some(({ message }) => message <= test.statedAt),
      shown: [alert, ...results.filter(({ message }) => message <= test.statedAt).map(({ text }) => text)],
      areRivals: areRivals(hypotheses.get(test.hypothesis), hypotheses.get(test.against)),
      others: all.filter((other) => other !== test),
    });
    return { test, decision, isState: answer?.yields === 'state' };
  });
}

function areRivals(a: Hypothesis | undefined, b: Hypothesis | undefined): boolean {
  if (a === undefined || b === undefined || a.id === b.id) return false;
  if (a.effectOf === b.id || b.effectOf === a.id || a.with === b.id || b.with === a.id) return false;
  return a.component !== b.component || a.mechanism !== b.mechanism;
}
