// The caveats of an analysis. Pure.

import type { ConclusionReason } from '../../../prompt/investigation.ts';
import type { CaveatCode } from '../../../schema/common.ts';
import type { Execution } from '../../../schema/execution.ts';
import type { EventDraft } from '../../../schema/timelineEvent.ts';
import { conclusionReason } from '../../kernel/state/decide.ts';

/** The caveat of a forced conclusion, by its reason. Without a reason in the execution, its tools were unreachable. */
const FORCED_BY: Record<ConclusionReason, CaveatCode> = {
  iterations_used: 'MAX_ITERATIONS',
  empty_answers: 'MODEL_EMPTY_ANSWER',
  time_outs: 'ITERATION_TIMEOUT',
  budget: 'BUDGET_REACHED',
  no_tools: 'TOOL_SERVER_UNAVAILABLE',
};

/**
 * Why the analysis of an answer is limited.
 * @param before the execution when its model was asked.
 * @param isCut whether the analysis was too long to be stored whole.
 */
export function caveatsOfAnswer(
  before: Execution,
  events: readonly EventDraft[],
  isCut: boolean,
): CaveatCode[] {
  const analysis = events.find((event) => event.eventType === 'final_analysis');
  const { forcedConclusion, truncated, outputFault } = analysis?.metadata ?? {};
  return [
    ...(forcedConclusion ? [FORCED_BY[conclusionReason(before) ?? 'no_tools']] : []),
    ...(truncated ? ['MODEL_TRUNCATED' as const] : []),
    ...(isCut ? ['DOCUMENT_TOO_LARGE' as const] : []),
    ...(outputFault === undefined ? [] : ['OUTPUT_INVALID' as const]),
  ];
}
