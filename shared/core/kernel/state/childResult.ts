// The result of a call to another agent: its execution's answer, or the reason for none.

import { makeVisible } from '../../../text/hiddenCharacters.ts';
import { parseJson } from '../../../text/json.ts';
import { limitText } from '../../../text/limitText.ts';
import { answerParts } from '../../../text/structuredAnswer.ts';
import type { Limits } from '../../schema/agent.ts';
import type { Execution, PendingCall } from '../../schema/execution.ts';
import type { ExecutionBatch } from '../conversation/executionBatch.ts';
import { appendResult, failedResult } from './callResult.ts';

/** The answer of a child with structured output. */
export interface StructuredAnswer {
  /** All fields, as JSON text. */
  json: string;
  /** The question that it answers. */
  question: string;
}

/**
 * Appends the result of a call whose child has ended. Readers get the text; the model also gets the
 * structured answer as data.
 * @param structured absent if the child answered with text.
 */
export function appendChildResult(
  pending: PendingCall,
  child: Execution,
  { toolResultBytes }: Limits,
  batch: ExecutionBatch,
  structured?: StructuredAnswer,
): void {
  const { agentName, status, finalAnalysis, failure, caveats, createdAt } = child;
  // Until its result is stored.
  const durationMs = Math.max(0, batch.now.getTime() - createdAt.getTime());
  const { content, truncated } = limitText(finalAnalysis ?? '', toolResultBytes);
  if (finalAnalysis === null) {
    const error = endWithoutAnswer(agentName, status, failure);
    const answer = { status: 'error', agent_schema: agentName, error };
    appendAnswer(pending, { content: error, truncated: false, durationMs }, answer, batch);
    return;
  }
  // An answer above the size limit of results is cut, and a cut object is only text.
  const isData = structured !== undefined && Buffer.byteLength(structured.json) <= toolResultBytes;
  const answer = {
    status: 'success',
    agent_schema: agentName,
    ...(isData
      ? {
          output: parseJson(structured.json),
          text_response: makeVisible(answerParts(structured.json).answer ?? content),
          input_text: structured.question,
          is_structured_output: true,
        }
      : { output: makeVisible(content), is_structured_output: false }),
    ...(caveats.length > 0 && { caveats }),
  };
  appendAnswer(pending, { content, truncated, durationMs }, answer, batch);
}

/** Appends the result of a rejected call: it is not allowed, or its arguments are invalid. */
export function appendRefusal(
  pending: PendingCall,
  { error, hint }: { error: string; hint?: string | undefined },
  batch: ExecutionBatch,
): void {
  const content = hint === undefined ? error : `${error} ${hint}`;
  const answer = { status: 'error', error, ...(hint !== undefined && { hint }) };
  appendAnswer(pending, { content, truncated: false, durationMs: 0 }, answer, batch);
}

function endWithoutAnswer(agent: string, status: Execution['status'], failure: Execution['failure']): string {
  const why = failure === null ? status : `${failure.code}: ${failure.message}`;
  const words = status === 'timed_out' ? 'did not answer in time' : 'ended without an answer';
  return makeVisible(`${agent} ${words} (${why}) Go on without it, or conclude.`);
}

function appendAnswer(
  pending: PendingCall,
  { content, truncated, durationMs }: { content: string; truncated: boolean; durationMs: number },
  answer: { status: string },
  batch: ExecutionBatch,
): void {
  // The tool has answered, even if with an error.
  const { noAnswer: _, ...result } = failedResult(pending, content, durationMs);
  const isError = answer.status === 'error';
  appendResult(pending, { ...result, isError, truncated, modelContent: JSON.stringify(answer) }, batch);
}
