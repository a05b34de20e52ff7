// Repeated calls: a read-only call that was answered twice with the same arguments does not run again.

import type { Feature } from '../../core/kernel/feature/feature.ts';
import { repeatedCallResults } from './repeatedCalls.ts';

/** Answers repeated calls with the places of their earlier results, unless the agent allows repetition. */
export const REPEATS: Feature = {
  answerCalls(calls, { execution, known, conversation, tools }) {
    const { iteration, limits } = execution;
    if (limits.repeatedCalls === 'run') return [];
    return repeatedCallResults(calls, known, { conversation, tools, iteration });
  },
};
