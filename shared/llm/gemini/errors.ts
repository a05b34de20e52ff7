// Converts errors of the SDK to ours. The SDK hides the API's JSON in the error text: parsed here.

import { bareModelName } from '../../core/contract/geminiVersion.ts';
import { quoteText } from '../../text/cut.ts';
import { asArray, asObject, asText, isObject, type JsonObject, parseJson } from '../../text/json.ts';
import { maskKeys } from '../credentials.ts';
import { type ModelFailure, modelFailure } from '../failures.ts';
import {
  connectionCode,
  durationMs,
  isFailedStatus,
  kindOfStatus,
  listCauses,
  MAX_DETAIL,
} from '../httpFailures.ts';

/** Facts about the attempt that failed. */
interface FailureContext {
  /** The model that the request names. */
  model: string;
  /** Whether the answer had started. */
  streaming: boolean;
  /** Values that must not appear in a message, such as the API key. */
  secrets?: readonly string[];
  /** UTF-8 bytes of the prompt, when they are known. */
  requestBytes?: number;
}

/** Prose has about 4, logs and JSON fewer: a prompt has at least its bytes through this many tokens. */
const MAX_BYTES_PER_TOKEN = 6;

/** Codes of broken connections, of the system and of Node's fetch. */
const CONNECTION_CODE = /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/;

/** The API's `error` object, its message without secrets, and the original error if free of secrets. */
interface Refusal {
  /** The `error` object; empty if the response has none. */
  body: JsonObject;
  /** The API's message, without secrets. */
  detail: string;
  /** The original error; undefined if it holds a secret. */
  cause: unknown;
}

/** The failure of a thrown value. Callers first check their own abort: it looks like a broken connection. */
export function geminiFailure(thrown: unknown, context: FailureContext): ModelFailure {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const body = errorBody(text) ?? {};
  const status = [asObject(thrown).status, body.code].find(isFailedStatus);
  const detail = quoteText(maskKeys(asText(body.message) ?? text, context.secrets), MAX_DETAIL, 'words');
  // An original that holds a secret must not travel as the cause of an error that does not.
  const cause = maskKeys(text, context.secrets) === text ? thrown : undefined;
  return status === undefined
    ? connectionFailure(thrown, detail, cause, context.streaming)
    : statusFailure(status, { body, detail, cause }, context);
}

/** Classifies a status. Only Gemini answers bad keys and signatures with 400, cancelled streams with 499. */
function statusFailure(status: number, refusal: Refusal, context: FailureContext): ModelFailure {
  const { body, detail, cause } = refusal;
  const options = { cause, retryAfterMs: retryDelayMs(body, detail) };
  if (status === 400 && isBadKey(body, detail)) return credentialsFailure(detail, cause);
  if (status === 400 && /thought[\s_-]?signature/i.test(detail)) {
    return modelFailure('signature', `Gemini refused a thought signature: ${detail}`, options);
  }
  if (status === 499) return modelFailure('cut', `Gemini cancelled the answer: ${detail}`, options);
  switch (kindOfStatus(status)) {
    case 'bad_request':
      return badRequest(status === 400 ? detail : `(${status}) ${detail}`, cause);
    case 'credentials':
      return credentialsFailure(detail, cause);
    case 'quota':
      return modelFailure('quota', `Gemini's prepaid credit is used up: ${detail}`, options);
    case 'unknown_model': {
      const message = `Gemini does not know the model "${bareModelName(context.model)}": ${detail}`;
      return modelFailure('unknown_model', message, options);
    }
    case 'rate_limit': {
      const exhausted = exhaustedQuota(body, context);
      if (exhausted !== undefined) return modelFailure('quota', `${exhausted}: ${detail}`, options);
      return modelFailure('rate_limit', `Gemini's rate limit is reached: ${detail}`, options);
    }
    case 'unavailable':
      return modelFailure('unavailable', `Gemini is unavailable (${status}): ${detail}`, options);
  }
}

function isBadKey(body: JsonObject, detail: string): boolean {
  const reasons = listErrorDetails(body).map(({ reason }) => reason);
  return reasons.includes('API_KEY_INVALID') || /API key (not valid|expired)|invalid_grant/i.test(detail);
}

/** The quota behind a 429 that no short wait refills: one per day, or one that is smaller than the prompt. */
function exhaustedQuota(body: JsonObject, context: FailureContext): string | undefined {
  const { requestBytes = 0, secrets } = context;
  const daily = listViolations(body)
    .map(({ quotaId }) => asText(quotaId))
    .find((id) => id?.includes('PerDay'));
  if (daily !== undefined)
    return `Gemini's daily quota ${quoteText(maskKeys(daily, secrets), MAX_DETAIL, 'words')} is used up`;
  const perMinute = inputTokensPerMinute(body);
  const least = Math.floor(requestBytes / MAX_BYTES_PER_TOKEN);
  if (perMinute === undefined || least <= perMinute) return undefined;
  return `The prompt alone (at least ${least} tokens) is above Gemini's quota of ${perMinute} input tokens per minute`;
}

function connectionFailure(
  thrown: unknown,
  detail: string,
  cause: unknown,
  streaming: boolean,
): ModelFailure {
  const code = connectionCode(listCauses(thrown), CONNECTION_CODE);
  const why = code === undefined ? detail : `${detail} (${code})`;
  if (streaming) return modelFailure('cut', `The stream of the answer broke: ${why}`, { cause });
  const aborted = thrown instanceof Error && thrown.name === 'AbortError';
  if (code !== undefined || aborted || detail === 'fetch failed') {
    return modelFailure('network', `Gemini cannot be reached: ${why}`, { cause });
  }
  if (/default credentials|invalid_grant|access token|unauthenticated/i.test(detail)) {
    return credentialsFailure(detail, cause);
  }
  // The SDK threw all remaining errors before it sent anything: this request cannot be sent.
  return badRequest(detail, cause);
}

function badRequest(detail: string, cause: unknown): ModelFailure {
  return modelFailure('bad_request', `Gemini refused the request: ${detail}`, { cause });
}

function credentialsFailure(detail: string, cause: unknown): ModelFailure {
  const message = `Gemini refused the credentials; check GEMINI_API_KEY, or the service account on Vertex AI: ${detail}`;
  return modelFailure('credentials', message, { cause });
}

/**
 * The `error` object in an error's text: JSON, maybe in a list of one, maybe after `got status: X. `, and
 * maybe once more inside its own message (the SDK wraps bodies that were not declared as JSON).
 */
function errorBody(text: string, depth = 0): JsonObject | undefined {
  const json = parseJson(text.replace(/^got status: [^.]*\. /, ''));
  const error = asObject(Array.isArray(json) ? json[0] : json).error;
  if (!isObject(error)) return undefined;
  const inner =
    typeof error.message === 'string' && depth < 3 ? errorBody(error.message, depth + 1) : undefined;
  return inner ?? error;
}

function listErrorDetails(body: JsonObject): JsonObject[] {
  return asArray(body.details).map(asObject);
}

/** The limit of an over-long prompt on the Gemini API, not a bad request there: waiting does not help. */
function inputTokensPerMinute(body: JsonObject): number | undefined {
  const violation = listViolations(body).find(({ quotaId }) =>
    /InputTokens.*PerMinute/.test(String(quotaId)),
  );
  const limit = Number(violation?.quotaValue);
  return Number.isFinite(limit) && limit > 0 ? limit : undefined;
}

function listViolations(body: JsonObject): JsonObject[] {
  return listErrorDetails(body)
    .flatMap((detail) => asArray(detail.violations))
    .map(asObject);
}

/** The larger of RetryInfo and the message's delay: the first is rounded down, either can be missing. */
function retryDelayMs(body: JsonObject, message: string): number | undefined {
  const infos = listErrorDetails(body).map((detail) => detail.retryDelay);
  const named = /retry (?:in|after) ((?:[\d.]+(?:ms|h|m|s)\s?)+)/i.exec(message)?.[1];
  const delays = [...infos, named].map(delayMs).filter((delay) => delay !== undefined);
  return delays.length === 0 ? undefined : Math.max(...delays);
}

/** A delay as text or as `{seconds, nanos}`, in whole milliseconds, rounded up. */
function delayMs(value: unknown): number | undefined {
  if (typeof value === 'string') return durationMs(value);
  if (!isObject(value)) return undefined;
  const total = Number(value.seconds ?? 0) * 1_000 + Number(value.nanos ?? 0) / 1e6;
  return Number.isFinite(total) && total >= 0 ? Math.ceil(total) : undefined;
}
