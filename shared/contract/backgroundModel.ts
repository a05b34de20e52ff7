// The port of models that answer while nothing runs: a question is submitted, and its answer read later.

import type { JWTVerifyGetKey } from 'jose';
import type { Webhook } from 'standardwebhooks';
import type { CallReport, LlmRequest, LlmResponse, Progress } from '../core/contract/llm.ts';
import type { InquestError } from '../core/errors.ts';

/** Ends the error of an attempt whose question was lost, and asked again. */
export const ASKED_TWICE = '(asked_twice)';

/** The ids of a question, which come back with the notice of its end. */
export interface Submission {
  /** The session of the execution. */
  sessionId: string;
  /** The execution that asks. */
  executionId: string;
  /** Its iteration. */
  iteration: number;
  /** The id of this question; a repetition has another one. */
  submissionId: string;
}

/** The limits of one request, and the report that it fills. */
export interface BackgroundCall {
  /** Its abort ends the request. */
  signal: AbortSignal;
  /** Changed in place. */
  report: CallReport;
}

/** How the submission of a question ended. */
export type Submitted =
  | { kind: 'accepted'; id: string }
  /** The model works on nothing. */
  | { kind: 'refused'; error: InquestError }
  /** No answer came: the model can work on it. */
  | { kind: 'unknown'; error: InquestError };

/** The state of a question. */
export type BackgroundAnswer =
  | { kind: 'running' }
  | { kind: 'answered'; response: LlmResponse }
  | { kind: 'failed'; error: InquestError }
  /** The provider does not have it any more. */
  | { kind: 'missing' }
  /** It could not be read now. */
  | { kind: 'unread'; error: InquestError };

/** Models that answer while nothing runs. The methods never fail, except as the signal does. */
export interface BackgroundModel {
  /** Submits a question. It is never sent twice. */
  submit(request: LlmRequest, submission: Submission, call: BackgroundCall): Promise<Submitted>;
  /** Reads an answer. @param request as it was submitted: it names the tools. */
  read(request: LlmRequest, id: string, call: BackgroundCall): Promise<BackgroundAnswer>;
  /** Ends the work on a question, and deletes it at its provider. @returns whether nothing of it is left. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
}

/** Shows answers while they are given. */
export interface ThoughtReader {
  /**
   * Streams the pieces of an answer from the first one, until the answer has ended. A stream that is cut is
   * continued.
   * @throws InquestError without credentials; Error when the provider refuses; as the signal.
   */
  follow(id: string, onPiece: (piece: Progress) => void, signal: AbortSignal): Promise<void>;
}

/** The keys that verify notices of the provider. */
export interface NoticeKeys {
  /** Secrets of registered webhooks, of which one must fit. Empty: none is registered. */
  secrets: readonly Webhook[];
  /** Finds the provider's public key for a token. */
  findKey: JWTVerifyGetKey;
  /** The required audience of tokens. Absent: any, because the documentation does not name one. */
  audience?: string | undefined;
}
