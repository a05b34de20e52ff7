// Turns what the SDK throws into our errors. The SDK hides the API's JSON in the text of its errors, so it is parsed here.

import { bareModelName } from '../../contract/geminiVersion.ts';
import { type ErrorCode, RetryableError, TerminalError } from '../../errors.ts';
import { asArray, asObject, asText, isObject, type JsonObject, parseJson } from '../../text/json.ts';

export type GeminiFailureKind =
  | 'bad_request'
  /** 400 for a missing or foreign thought signature: the history can be repaired. */
  | 'signature'
  | 'credentials'
  | 'unknown_model'
  /** A quota that waiting a little does not refill. */
  | 'quota'
  | 'rate_limit'
  | 'unavailable'
  /** The connection could not be made. */
  | 'network'
  /** The stream broke, or brought an error, after it had begun. */
  | 'cut';

export interface GeminiFailure {
  kind: GeminiFailureKind;
  error: TerminalError | RetryableError;
  /** What the API asks to wait, in milliseconds, when it says so. */
  retryAfterMs: number | undefined;
}

export interface FailureContext {
  model: string;
  /** Whether the answer had begun. */
  streaming: boolean;
  /** Values that must not appear in a message, such as the API key. */
  secrets?: string[];
  /** UTF-8 bytes of the prompt, when they are known. */
  requestBytes?: number;
}

/** Longest text of the API that goes into an error, in characters. */
const MAX_DETAIL = 600;
/** Prose has about 4, logs and JSON fewer: a prompt has at least its bytes through this many tokens. */
const MAX_BYTES_PER_TOKEN = 6;

/** The failure behind a thrown value. An abort by the caller has to be told apart beforehand: it looks like a broken connection. */
export function geminiFailure(thrown: unknown, context: FailureContext): GeminiFailure {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const body = errorBody(text) ?? {};
  const status = httpStatus(asObject(thrown).status) ?? httpStatus(body.code);
  const detail = scrub(asText(body.message) ?? text, context.secrets).slice(0, MAX_DETAIL);
  // An original that holds a secret must not travel as the cause of an error that does not.
  const cause = scrub(text, context.secrets) === text ? thrown : undefined;
  return status === undefined
    ? connectionFailure(detail, thrown, cause, context)
    : statusFailure(status, body, detail, cause, context);
}

/** Removes API keys, tokens and the given secrets from a text. */
export function scrub(text: string, secrets: string[] = []): string {
  return secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text)
    .replace(/\b(key|access_token|token)=[^&\s"'<>]+/gi, '$1=[key]')
    .replace(/AIza[0-9A-Za-z_-]{10,}/g, '[key]')
    .replace(/\bya29\.[0-9A-Za-z._-]+/g, '[token]')
    .replace(/\bBearer\s+[^\s"']+/gi, 'Bearer [token]');
}

function statusFailure(
  status: number,
  body: JsonObject,
  detail: string,
  cause: unknown,
  context: FailureContext,
): GeminiFailure {
  const delay = retryDelayMs(body, detail);
  switch (status) {
    case 400:
      if (
        reasons(body).includes('API_KEY_INVALID') ||
        /API key (not valid|expired)|invalid_grant/i.test(detail)
      ) {
        return credentials(detail, cause);
      }
      if (/thought[\s_-]?signature/i.test(detail)) {
        return terminal(
          'signature',
          'MODEL_BAD_REQUEST',
          `Gemini refused a thought signature: ${detail}`,
          cause,
        );
      }
      return badRequest(detail, cause);
    case 401:
    case 403:
      return credentials(detail, cause);
    case 402:
      return terminal('quota', 'MODEL_QUOTA', `Gemini's prepaid credit is used up: ${detail}`, cause);
    case 404: {
      const message = `Gemini does not know the model "${bareModelName(context.model)}": ${detail}`;
      return terminal('unknown_model', 'MODEL_UNKNOWN', message, cause);
    }
    case 429: {
      const daily = quotaIds(body).find((id) => id.includes('PerDay'));
      if (daily !== undefined) {
        return terminal('quota', 'MODEL_QUOTA', `Gemini's daily quota ${daily} is used up: ${detail}`, cause);
      }
      const perMinute = inputTokensPerMinute(body);
      const least = Math.floor((context.requestBytes ?? 0) / MAX_BYTES_PER_TOKEN);
      if (perMinute !== undefined && least > perMinute) {
        const message = `The prompt alone (at least ${least} tokens) is above Gemini's quota of ${perMinute} input tokens per minute: ${detail}`;
        return terminal('quota', 'MODEL_QUOTA', message, cause);
      }
      return retryable(
        'rate_limit',
        'MODEL_QUOTA',
        `Gemini's rate limit is reached: ${detail}`,
        cause,
        delay,
      );
    }
    case 499:
      return retryable('cut', 'MODEL_STREAM_CUT', `Gemini cancelled the answer: ${detail}`, cause, delay);
    default: {
      if (status < 500 && status !== 408 && status !== 409) return badRequest(`(${status}) ${detail}`, cause);
      const message = `Gemini is unavailable (${status}): ${detail}`;
      return retryable('unavailable', 'MODEL_UNAVAILABLE', message, cause, delay);
    }
  }
}

function connectionFailure(
  detail: string,
  thrown: unknown,
  cause: unknown,
  context: FailureContext,
): GeminiFailure {
  const code = connectionCode(thrown);
  const why = code === undefined ? detail : `${detail} (${code})`;
  if (context.streaming) {
    return retryable('cut', 'MODEL_STREAM_CUT', `The stream of the answer broke: ${why}`, cause);
  }
  const aborted = thrown instanceof Error && thrown.name === 'AbortError';
  if (code !== undefined || aborted || detail === 'fetch failed') {
    return retryable('network', 'MODEL_UNAVAILABLE', `Gemini cannot be reached: ${why}`, cause);
  }
  if (/default credentials|invalid_grant|access token|unauthenticated/i.test(detail)) {
    return credentials(detail, cause);
  }
  // What is left was thrown by the SDK before it sent anything: this request cannot be sent.
  return badRequest(detail, cause);
}

function badRequest(detail: string, cause: unknown): GeminiFailure {
  return terminal('bad_request', 'MODEL_BAD_REQUEST', `Gemini refused the request: ${detail}`, cause);
}

function credentials(detail: string, cause: unknown): GeminiFailure {
  const message = `Gemini refused the credentials; check GEMINI_API_KEY, or the service account on Vertex AI: ${detail}`;
  return terminal('credentials', 'MODEL_CREDENTIALS', message, cause);
}

function terminal(kind: GeminiFailureKind, code: ErrorCode, message: string, cause: unknown): GeminiFailure {
  return { kind, error: new TerminalError(code, message, { cause }), retryAfterMs: undefined };
}

function retryable(
  kind: GeminiFailureKind,
  code: ErrorCode,
  message: string,
  cause: unknown,
  retryAfterMs?: number,
): GeminiFailure {
  const options = retryAfterMs === undefined ? { cause } : { cause, retryAfterMs };
  return { kind, error: new RetryableError(code, message, options), retryAfterMs };
}

/**
 * The `error` object in an error's text: JSON, maybe in a list of one, maybe after `got status: X. `, and maybe once
 * more inside its own message (the SDK wraps bodies that were not declared as JSON).
 */
function errorBody(text: string, depth = 0): JsonObject | undefined {
  const json = parseJson(text.replace(/^got status: [^.]*\. /, ''));
  const error = asObject(Array.isArray(json) ? json[0] : json).error;
  if (!isObject(error)) return undefined;
  const inner =
    typeof error.message === 'string' && depth < 3 ? errorBody(error.message, depth + 1) : undefined;
  return inner ?? error;
}

function httpStatus(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined;
}

function details(body: JsonObject): JsonObject[] {
  return asArray(body.details).map(asObject);
}

function reasons(body: JsonObject): unknown[] {
  return details(body).map((detail) => detail.reason);
}

function quotaIds(body: JsonObject): string[] {
  return violations(body)
    .map(({ quotaId }) => quotaId)
    .filter((id) => typeof id === 'string');
}

/** The limit that an over-long prompt runs into on the Gemini API, where it is no bad request: waiting does not help. */
function inputTokensPerMinute(body: JsonObject): number | undefined {
  const violation = violations(body).find(({ quotaId }) => /InputTokens.*PerMinute/.test(String(quotaId)));
  const limit = Number(violation?.quotaValue);
  return Number.isFinite(limit) && limit > 0 ? limit : undefined;
}

function violations(body: JsonObject): JsonObject[] {
  return details(body)
    .flatMap((detail) => asArray(detail.violations))
    .map(asObject);
}

/** The larger of RetryInfo and the delay in the message: the first is rounded down, and either may be missing. */
function retryDelayMs(body: JsonObject, message: string): number | undefined {
  const infos = details(body).map((detail) => detail.retryDelay);
  const named = /retry (?:in|after) ((?:[\d.]+(?:ms|h|m|s)\s?)+)/i.exec(message)?.[1];
  const delays = [...infos, named].map(durationMs).filter((delay) => delay !== undefined);
  return delays.length === 0 ? undefined : Math.max(...delays);
}

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

/** `48.9s`, `1h2m3s` and `{seconds, nanos}` as whole milliseconds, rounded up. */
function durationMs(value: unknown): number | undefined {
  if (isObject(value)) {
    const total = Number(value.seconds ?? 0) * 1_000 + Number(value.nanos ?? 0) / 1e6;
    return Number.isFinite(total) && total >= 0 ? Math.ceil(total) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const pieces = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (pieces.length === 0) return undefined;
  const total = pieces.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS],
    0,
  );
  return Number.isFinite(total) ? Math.ceil(total) : undefined;
}

/** The system's name for a broken connection (`ECONNREFUSED`, `UND_ERR_SOCKET`), wherever it stands in the chain of causes. */
function connectionCode(thrown: unknown): string | undefined {
  let current: unknown = thrown;
  for (let depth = 0; depth < 5 && current instanceof Error; depth += 1) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(code)) return code;
    current = current.cause;
  }
  return undefined;
}
