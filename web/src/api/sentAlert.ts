// The session of an alert that was sent.

import { ApiError } from '../../../shared/client/apiError.ts';
import type { ParametersOf } from '../../../shared/client/routes.ts';
import type { AnswerOf } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from './client.ts';

/** How long the page waits for the session of an alert, and how often it asks. */
const WAIT_MS = 60_000;
const ASK_MS = 1_000;
/** Every so many polls search for a dropped or refused alert, too. */
const POLLS_OF_SEARCH = 4;

/** An alert that was sent. */
export type SentAlert = Pick<AnswerOf<'POST /v1/alerts'>, 'messageId' | 'alertKey'>;

/** The session of an alert. */
export interface FoundSession {
  sessionId: string;
  /** Whether the session was there before the alert. */
  isJoined: boolean;
}

/**
 * Waits for the session of an alert that was sent, for at most a minute.
 * @returns undefined when the page was left.
 * @throws Error when the alert gets no session, when its outcome cannot be read, and after a minute.
 */
export async function awaitAlertSession(
  { alertKey, messageId }: SentAlert,
  left: AbortSignal,
): Promise<FoundSession | undefined> {
  const end = performance.now() + WAIT_MS;
  for (let polls = 1; performance.now() < end && !left.aborted; polls++) {
    // The search for a dropped or refused alert reads many documents.
    const search = polls % POLLS_OF_SEARCH === 0 ? { messageId } : {};
    const outcome = await readOutcome({ alertKey, ...search }, left);
    if (outcome?.sessionId) return { sessionId: outcome.sessionId, isJoined: outcome.outcome === 'joined' };
    if (outcome !== undefined)
      throw new Error(`The alert was sent, but not investigated: ${outcome.reason ?? 'no reason is stored'}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  if (left.aborted) return undefined;
  throw new Error('The alert was sent, but has no session yet. The list of sessions shows it later.');
}

/** Undefined without outcome, and after a transient error. @throws Error for others. */
async function readOutcome(
  parameters: ParametersOf<'GET /v1/alerts/{alertKey}'>,
  left: AbortSignal,
): Promise<AnswerOf<'GET /v1/alerts/{alertKey}'> | undefined> {
  try {
    return await api.get('/v1/alerts/{alertKey}', parameters, left);
  } catch (cause) {
    if (left.aborted || (cause instanceof ApiError && isTransient(cause))) return undefined;
    throw new Error(`The alert was sent, but its session cannot be read: ${asError(cause).message}`);
  }
}

/** Whether a later request can succeed: no response, no outcome (404), too many, server error. */
const isTransient = ({ status }: ApiError) => [0, 404, 429].includes(status) || status >= 500;
