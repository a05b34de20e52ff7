// Judges a collected answer, and converts one that can be used.

import type { LlmRequest } from '../../core/contract/llm.ts';
import { maskKeys } from '../credentials.ts';
import type { AttemptOutcome } from '../failures.ts';
import { classifyAnswer } from './classifyAnswer.ts';
import type { CollectedAnswer } from './collectStream.ts';
import { finishAnswer } from './finishAnswer.ts';

/** The outcome of a collected answer. */
export function judgeAnswer(
  answer: CollectedAnswer,
  { model: { model }, tools }: LlmRequest,
  secrets: readonly string[],
): AttemptOutcome {
  const outcome = classifyAnswer(answer, {
    mayCall: tools.length > 0,
    mask: (text) => maskKeys(text, secrets),
  });
  switch (outcome.kind) {
    case 'ok':
    case 'truncated':
    case 'flagged':
      return {
        kind: 'answer',
        response: finishAnswer(answer, { model, truncated: outcome.kind !== 'ok' }),
      };
    default:
      return { kind: 'failure', failure: outcome };
  }
}
