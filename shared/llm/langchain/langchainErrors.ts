// Converts errors of LangChain and providers' clients, which share little but the HTTP status.

import { quoteText } from '../../text/cut.ts';
import { asObject, asText } from '../../text/json.ts';
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
interface LangchainFailureContext {
  /** The provider that was asked. */
  provider: string;
  /** The model that was asked. */
  model: string;
  /** Whether the answer had started. */
  streaming: boolean;
  /** Values that must not appear in a message. */
  secrets: readonly string[];
  /** Epoch milliseconds, for a `Retry-After` that is a date. */
  now: number;
}

/** Codes of broken connections, of the system and Node's fetch; `ERR_…` are faults in the use of Node. */
const CONNECTION_CODE = /^(E(?!RR_)[A-Z_]+|UND_ERR_[A-Z_]+)$/;

/**
 * The failure behind a thrown value. The caller has to check for its own abort before: it looks like a broken
 * connection. The original does not travel along as the cause: some clients keep their request in it, key
 * included.
 */
export function langchainFailure(thrown: unknown, context: LangchainFailureContext): ModelFailure {
  const chain = listCauses(thrown);
  const status = chain.map(httpStatus).find((found) => found !== undefined);
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const message = maskKeys(text.split('\n\nTroubleshooting URL:')[0] ?? '', context.secrets);
  const detail = quoteText(message.replace(/\bsk-[\w*-]{6,}/g, '[key]').trim(), MAX_DETAIL, 'words');
  return status === undefined
    ? withoutStatus(chain, detail, context)
    : withStatus(status, chain, detail, context);
}

function withStatus(
  status: number,
  chain: readonly Error[],
  detail: string,
  { provider, model, now }: LangchainFailureContext,
): ModelFailure {
  const retryAfterMs =
    chain.map((error) => retryAfter(error, now)).find((ms) => ms !== undefined) ?? namedDelay(detail);
  switch (kindOfStatus(status)) {
    case 'bad_request':
      return badRequest(provider, `(${status}) ${detail}`);
    case 'credentials':
      return credentialsFailure(provider, detail);
    case 'quota':
      return modelFailure('quota', `The credit at ${provider} is used up: ${detail}`);
    case 'unknown_model': {
      const message = `${provider} does not know the model "${model}", or its address is wrong: ${detail}`;
      return modelFailure('unknown_model', message);
    }
    case 'rate_limit':
      if (chain.some((error) => asObject(error).code === 'insufficient_quota')) {
        return modelFailure('quota', `The quota at ${provider} is used up: ${detail}`);
      }
      return modelFailure('rate_limit', `The rate limit of ${provider} is reached: ${detail}`, {
        retryAfterMs,
      });
    case 'unavailable':
      return modelFailure('unavailable', `${provider} is unavailable (${status}): ${detail}`, {
        retryAfterMs,
      });
  }
}

function withoutStatus(
  chain: readonly Error[],
  detail: string,
  { provider, streaming }: LangchainFailureContext,
): ModelFailure {
  const code = connectionCode(chain, CONNECTION_CODE);
  const why = code === undefined ? detail : `${detail} (${code})`;
  if (streaming) return modelFailure('cut', `The stream of the answer broke: ${why}`);
  if (code !== undefined || chain.some(isConnectionError)) {
    return modelFailure('network', `${provider} cannot be reached: ${why}`);
  }
  if (/credential|api[ _-]?key/i.test(detail)) return credentialsFailure(provider, detail);
  // All remaining errors were thrown before anything was sent: this request cannot be sent.
  return badRequest(provider, detail);
}

function badRequest(provider: string, detail: string): ModelFailure {
  return modelFailure('bad_request', `${provider} refused the request: ${detail}`);
}

function credentialsFailure(provider: string, detail: string): ModelFailure {
  const message = `${provider} refused the credentials; check the API key in its environment variable: ${detail}`;
  return modelFailure('credentials', message);
}

/** Where the clients of OpenAI, Anthropic, Mistral, Cohere, Ollama, AWS, axios or fetch keep it. */
function httpStatus(error: Error): number | undefined {
  const { status, statusCode, status_code, response, $metadata } = asObject(error);
  return [
    status,
    statusCode,
    status_code,
    asObject(response).status,
    asObject($metadata).httpStatusCode,
  ].find(isFailedStatus);
}

function isConnectionError(error: Error): boolean {
  if (/^(Abort|Timeout|APIConnection(Timeout)?)Error$/.test(error.name)) return true;
  // Fetch's own words; OpenAI's client gives its errors no name.
  return (
    error.message === 'fetch failed' ||
    error.message === 'terminated' ||
    error.message === 'Connection error.'
  );
}

/** The wait that the headers of the answer request, in milliseconds: seconds, or a date. */
function retryAfter(error: Error, now: number): number | undefined {
  const { headers, response, rawResponse, $response } = asObject(error);
  const sources = [
    headers,
    asObject(response).headers,
    asObject(rawResponse).headers,
    asObject($response).headers,
  ];
  for (const source of sources) {
    const ms = Number(readErrorHeader(source, 'retry-after-ms') ?? Number.NaN);
    if (ms >= 0) return Math.ceil(ms);
    const value = readErrorHeader(source, 'retry-after');
    if (value === undefined) continue;
    const waitMs = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
    if (Number.isFinite(waitMs)) return Math.max(0, Math.ceil(waitMs));
  }
  return undefined;
}

function readErrorHeader(headers: unknown, name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : asText(asObject(headers)[name]);
}

/** The delay in a sentence like `Please try again in 6m1.5s.`, in milliseconds. */
function namedDelay(text: string): number | undefined {
  const duration = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(text)?.[1];
  return duration === undefined ? undefined : durationMs(duration.toLowerCase());
}
