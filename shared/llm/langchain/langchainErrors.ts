// Turns what LangChain and the providers' clients throw into our errors. They agree on little but the HTTP status.

import { type ErrorCode, RetryableError, TerminalError } from '../../errors.ts';
import { asObject, asText } from '../../text/json.ts';
import { quote } from '../../text/quote.ts';
import { scrub } from '../gemini/errors.ts';

type LangchainFailureKind =
  | 'bad_request'
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

export interface LangchainFailure {
  kind: LangchainFailureKind;
  error: TerminalError | RetryableError;
}

export interface LangchainFailureContext {
  provider: string;
  model: string;
  /** Whether the answer had begun. */
  streaming: boolean;
  /** Values that must not appear in a message. */
  secrets: string[];
  /** Epoch milliseconds, for a `Retry-After` that is a date. */
  now: number;
}

/** Longest text of a provider that goes into an error, in characters. */
const MAX_DETAIL = 600;
/** Errors are wrapped a few times, never this often. */
const MAX_DEPTH = 5;

/**
 * The failure behind a thrown value. An abort by the caller has to be told apart beforehand: it looks like a broken
 * connection. The original does not travel along as the cause: some clients keep their request in it, key included.
 */
export function langchainFailure(thrown: unknown, context: LangchainFailureContext): LangchainFailure {
  const chain = causes(thrown);
  const status = chain.map(httpStatus).find((found) => found !== undefined);
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const shown = scrub(text.split('\n\nTroubleshooting URL:')[0] ?? '', context.secrets)
    .replace(/\bsk-[\w*-]{6,}/g, '[key]')
    .trim();
  const detail = quote(shown, MAX_DETAIL);
  return status === undefined
    ? withoutStatus(chain, detail, context)
    : withStatus(status, chain, detail, context);
}

function withStatus(
  status: number,
  chain: unknown[],
  detail: string,
  { provider, model, now }: LangchainFailureContext,
): LangchainFailure {
  const retryAfterMs =
    chain.map((error) => retryAfter(error, now)).find((ms) => ms !== undefined) ?? named(detail);
  switch (status) {
    case 401:
    case 403:
      return credentials(provider, detail);
    case 402:
      return terminal('quota', 'MODEL_QUOTA', `The credit at ${provider} is used up: ${detail}`);
    case 404: {
      const message = `${provider} does not know the model "${model}", or its address is wrong: ${detail}`;
      return terminal('unknown_model', 'MODEL_UNKNOWN', message);
    }
    case 429:
      if (chain.some((error) => asObject(error).code === 'insufficient_quota')) {
        return terminal('quota', 'MODEL_QUOTA', `The quota at ${provider} is used up: ${detail}`);
      }
      return retryable(
        'rate_limit',
        'MODEL_QUOTA',
        `The rate limit of ${provider} is reached: ${detail}`,
        retryAfterMs,
      );
    default: {
      if (status < 500 && status !== 408 && status !== 409)
        return badRequest(provider, `(${status}) ${detail}`);
      const message = `${provider} is unavailable (${status}): ${detail}`;
      return retryable('unavailable', 'MODEL_UNAVAILABLE', message, retryAfterMs);
    }
  }
}

function withoutStatus(
  chain: unknown[],
  detail: string,
  { provider, streaming }: LangchainFailureContext,
): LangchainFailure {
  const code = chain.map(connectionCode).find((found) => found !== undefined);
  const why = code === undefined ? detail : `${detail} (${code})`;
  if (streaming) return retryable('cut', 'MODEL_STREAM_CUT', `The stream of the answer broke: ${why}`);
  if (code !== undefined || chain.some(isConnectionError)) {
    return retryable('network', 'MODEL_UNAVAILABLE', `${provider} cannot be reached: ${why}`);
  }
  if (/credential|api[ _-]?key/i.test(detail)) return credentials(provider, detail);
  // What is left was thrown before anything was sent: this request cannot be sent.
  return badRequest(provider, detail);
}

function badRequest(provider: string, detail: string): LangchainFailure {
  return terminal('bad_request', 'MODEL_BAD_REQUEST', `${provider} refused the request: ${detail}`);
}

function credentials(provider: string, detail: string): LangchainFailure {
  const message = `${provider} refused the credentials; check the API key in its environment variable: ${detail}`;
  return terminal('credentials', 'MODEL_CREDENTIALS', message);
}

function terminal(kind: LangchainFailureKind, code: ErrorCode, message: string): LangchainFailure {
  return { kind, error: new TerminalError(code, message) };
}

function retryable(
  kind: LangchainFailureKind,
  code: ErrorCode,
  message: string,
  retryAfterMs?: number,
): LangchainFailure {
  return {
    kind,
    error: new RetryableError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** The value and what caused it, outermost first. */
function causes(thrown: unknown): unknown[] {
  const chain: unknown[] = [];
  let current = thrown;
  while (current instanceof Error && chain.length < MAX_DEPTH) {
    chain.push(current);
    current = current.cause;
  }
  return chain;
}

/** Where the clients of OpenAI, Anthropic, Mistral, Cohere, Ollama, AWS and those built on axios or fetch keep it. */
function httpStatus(error: unknown): number | undefined {
  const { status, statusCode, status_code, response, $metadata } = asObject(error);
  return [
    status,
    statusCode,
    status_code,
    asObject(response).status,
    asObject($metadata).httpStatusCode,
  ].find((value) => typeof value === 'number' && value >= 400 && value < 600) as number | undefined;
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/^(Abort|Timeout|APIConnection(Timeout)?)Error$/.test(error.name)) return true;
  // Fetch's own words; OpenAI's client gives its errors no name.
  return (
    error.message === 'fetch failed' ||
    error.message === 'terminated' ||
    error.message === 'Connection error.'
  );
}

/** The system's name for a broken connection (`ECONNREFUSED`, `UND_ERR_SOCKET`). */
function connectionCode(error: unknown): string | undefined {
  const code = asText(asObject(error).code);
  return code !== undefined && /^(E(?!RR_)[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(code) ? code : undefined;
}

/** What the headers of the answer ask to wait, in milliseconds: seconds, or a date. */
function retryAfter(error: unknown, now: number): number | undefined {
  const { headers, response, rawResponse, $response } = asObject(error);
  const sources = [
    headers,
    asObject(response).headers,
    asObject(rawResponse).headers,
    asObject($response).headers,
  ];
  for (const source of sources) {
    const ms = Number(header(source, 'retry-after-ms') ?? Number.NaN);
    if (ms >= 0) return Math.ceil(ms);
    const value = header(source, 'retry-after');
    if (value === undefined) continue;
    const asked = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
    if (Number.isFinite(asked)) return Math.max(0, Math.ceil(asked));
  }
  return undefined;
}

function header(headers: unknown, name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : asText(asObject(headers)[name]);
}

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** The delay in a sentence like `Please try again in 6m1.5s.`, in milliseconds. */
function named(text: string): number | undefined {
  const duration = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(text)?.[1];
  if (duration === undefined) return undefined;
  const pieces = [...duration.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  return Math.ceil(
    pieces.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS], 0),
  );
}
