// Lets time pass once a model has begun its answer, and not before.

import { expect } from 'vitest';
import type { CallReport } from '../../shared/core/contract/llm.ts';
import type { Bench } from './harness.ts';

/** Watches a bench's model calls. The returned function lets time pass at the nth answer. */
export function watchAnswers(bench: Bench): (call: number, ms: number) => Promise<void> {
  const reports: CallReport[] = [];
  const { generate } = bench.deps.llm;
  bench.deps.llm = {
    ...bench.deps.llm,
    generate(request, call) {
      reports.push(call.report);
      return generate(request, call);
    },
  };
  return async (call, ms) => {
    await expect.poll(() => reports[call - 1]?.answerStarted, { timeout: 60_000 }).toBe(true);
    bench.deps.clock.advance(ms);
  };
}
