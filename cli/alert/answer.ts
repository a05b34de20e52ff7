// Follows the answer to a question until it is complete, and formats it.

import type { Store } from '../../shared/contract/store.ts';
import type { OpenQuestion } from '../../shared/runtime/features/chat/askQuestion.ts';
import { executionType, paths } from '../../shared/schema/documents.ts';
import type { Execution } from '../../shared/schema/execution.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { type FollowOptions, followSession } from '../api/follow.ts';
import { costText, printable } from '../print/printer.ts';
import { durationText } from '../print/sessionTable.ts';

/**
 * Calls `onEvent` for every event of an answer, in order, until it has ended.
 * @param onLost as of `followSession`.
 * @returns the execution that answered.
 * @throws the store's errors; the signal's reason when it aborts; Error when the session was deleted meanwhile.
 */
export async function followAnswer(
  { sessionId, stageId, executionId }: OpenQuestion,
  store: Store,
  onEvent: (event: TimelineEvent) => void,
  signal: AbortSignal,
  onLost?: FollowOptions['onLost'],
): Promise<Execution> {
  const onOwn = (event: TimelineEvent) => {
    if (event.executionId === executionId) onEvent(event);
  };
  const until: FollowOptions['until'] = ({ openStage }) => openStage?.stageId !== stageId;
  await followSession(store, sessionId, onOwn, signal, { until, ...(onLost && { onLost }) });
  const execution = await store.get(paths.execution(sessionId, executionId), executionType);
  if (execution === undefined) throw new Error(`the answer of session ${sessionId} was deleted`);
  return execution.value;
}

/** The fields of an ended answer that are printed. */
type EndedAnswer = Pick<
  Execution,
  | 'sessionId'
  | 'stageId'
  | 'executionId'
  | 'status'
  | 'finalAnalysis'
  | 'failure'
  | 'caveats'
  | 'tokens'
  | 'cost'
  | 'createdAt'
  | 'endedAt'
>;

/** The outcome of an answer, as a line of JSON. */
export function answerJson({ sessionId, stageId, executionId, status, ...rest }: EndedAnswer): string {
  const { finalAnalysis: answer, failure, caveats, tokens, cost } = rest;
  const fields = { sessionId, stageId, executionId, status, answer, failure, caveats, tokens, cost };
  return JSON.stringify({ type: 'answer', ...fields });
}

/** The outcome of an answer, for people. The text of the answer is in its timeline. */
export function answerLines(execution: EndedAnswer): string[] {
  const { sessionId, status, failure, tokens, cost, createdAt, endedAt } = execution;
  const took = durationText((endedAt ?? createdAt).getTime() - createdAt.getTime());
  return [
    '',
    `Session    ${sessionId}`,
    `Question   ${status === 'completed' ? 'answered' : status} in ${took}`,
    ...(failure === null ? [] : [`Failure    ${failure.code}: ${printable(failure.message)}`]),
    `Tokens     ${tokens.total} (${tokens.input} in, ${tokens.output} out, ${tokens.thinking} thinking)`,
    `Cost       ${costText(cost)}`,
  ];
}
