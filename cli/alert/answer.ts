// Formats the answer to a question.

import { caveatText } from '../../shared/core/prompts/findings.ts';
import type { Execution } from '../../shared/core/schema/execution.ts';
import { durationText } from '../../shared/text/amounts.ts';
import { costText } from '../print/printer.ts';
import { printableText } from '../process/output.ts';

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
  const { sessionId, status, failure, caveats, tokens, cost, createdAt, endedAt } = execution;
  const took = durationText((endedAt ?? createdAt).getTime() - createdAt.getTime());
  return [
    '',
    `Session    ${sessionId}`,
    `Question   ${status === 'completed' ? 'answered' : status} in ${took}`,
    ...(failure === null ? [] : [`Failure    ${failure.code}: ${printableText(failure.message)}`]),
    ...caveats.map((code) => `Caveat     the answer was ${printableText(caveatText(code))}`),
    `Tokens     ${tokens.total} (${tokens.input} in, ${tokens.output} out, ${tokens.thinking} thinking)`,
    `Cost       ${costText(cost)}`,
  ];
}
