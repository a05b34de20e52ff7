// Google's REST APIs of one project, as JSON over fetch.

import { setTimeout as sleep } from 'node:timers/promises';
import { describeCause } from '../../shared/core/errors.ts';
import { backOffMs } from '../../shared/text/backOff.ts';
import { asArray, asObject, asText, parseJson } from '../../shared/text/json.ts';
import { TOKEN_INFO } from './addresses.ts';

/** The end of each service account's address. */
const SERVICE_ACCOUNT = '.gserviceaccount.com';
/** Time limit of one request. */
const TIMEOUT_MS = 60_000;
const DOWNLOAD_MS = 10 * 60_000;
/** Retries of a read that got no answer, or one of 429, 500, 502, 503, 504. */
const RETRIES = 3;
const PASSING = [429, 500, 502, 503, 504];
const RETRY_MS = 1_000;
const POLL_MS = 1_000;
/** Time limit of an operation, such as enabling APIs. */
const OPERATION_MS = 5 * 60_000;

interface GoogleRequest {
  /** Default: GET. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The whole address: `https://run.googleapis.com/v2/…`. */
  url: string;
  /** Sent as JSON; bytes are sent unchanged. */
  body?: object | Buffer;
  /** Time limit in milliseconds. Default: 60 s. */
  timeoutMs?: number;
}

/** Google's REST APIs, called for one project. */
export interface GoogleApi {
  /** Gets an access token. @throws Google's error without credentials, or when it refuses them. */
  checkCredentials(): Promise<void>;
  /** The address of the credentials' person. Undefined: a service account, or not named by Google. */
  personEmail(): Promise<string | undefined>;
  /**
   * Sends a request.
   * @returns the JSON of the answer; an empty object for an answer without a body.
   * @throws GoogleApiError for every other answer than 2xx; Error that names the host when it cannot be
   *   reached; the signal's reason when it aborts.
   */
  call<T = Record<string, unknown>>(request: GoogleRequest): Promise<T>;
  /** As `callApi`; undefined for an answer of 404. */
  find<T = Record<string, unknown>>(request: GoogleRequest): Promise<T | undefined>;
  /** The bytes at an address. Throws as `callApi`. */
  download(url: string): Promise<Buffer>;
  /** All items of a paged list. @param field of the answer that has the items. */
  list<T>(url: string, field: string): Promise<T[]>;
  /**
   * Waits for a long-running operation.
   * @param base address of the API that started it: `https://serviceusage.googleapis.com/v1/`.
   * @throws GoogleApiError when it failed, and after five minutes.
   */
  wait(base: string, operation: { name: string; done?: boolean; error?: object }): Promise<void>;
}

/**
 * A refusal of Google. Its message holds Google's text and its reason, so that `findDeployProblem` recognises
 * it.
 */
export class GoogleApiError extends Error {
  override readonly name = 'GoogleApiError';
  /** HTTP status. */
  readonly status: number;
  /** The reason of Google's ErrorInfo: `SERVICE_DISABLED`. */
  readonly reason: string | undefined;
  /** Its metadata: service, permission, consumer. */
  readonly metadata: Record<string, unknown>;

  constructor(url: string, status: number, body: unknown) {
    const error = asObject(asObject(body).error);
    const details = asArray(error.details).map(asObject);
    const info = details.find((detail) => asText(detail['@type'])?.endsWith('google.rpc.ErrorInfo')) ?? {};
    const legacy = asObject(asArray(error.errors)[0]);
    const reason = asText(info.reason) ?? asText(legacy.reason) ?? asText(error.status);
    const text = asText(error.message) ?? `HTTP ${status}`;
    super(`${new URL(url).hostname} answered ${status}: ${text}${reason === undefined ? '' : `, ${reason}`}`);
    this.status = status;
    this.reason = reason;
    this.metadata = asObject(info.metadata);
  }
}

/**
 * Opens the APIs.
 * @param project billed for quota, also with the credentials of a person.
 * @param options.retryMs milliseconds before the first retry. Default: 1,000.
 */
export function openGoogleApi(
  project: string,
  signal: AbortSignal,
  { retryMs = RETRY_MS }: { retryMs?: number } = {},
): GoogleApi {
  const token = createAccessTokens();

  /** Sends a request once. @throws Error that names the host when there is no whole answer. */
  async function sendOnce(request: GoogleRequest, authorization: string) {
    const { method = 'GET', url, body, timeoutMs = TIMEOUT_MS } = request;
    const headers = {
      authorization,
      'x-goog-user-project': project,
      ...(body !== undefined && {
        'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
      }),
    };
    try {
      const response = await fetch(url, {
        method,
        headers,
        // A redirect could take the token to another host.
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        ...(body !== undefined && {
          body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
        }),
      });
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${new URL(url).hostname} cannot be reached: ${describeCause(error)}`, {
        cause: error,
      });
    }
  }

  /** Sends a request, and again while it is a read that can succeed later. */
  async function sendRequest(request: GoogleRequest): Promise<Buffer> {
    const { method = 'GET', url } = request;
    const authorization = `Bearer ${await token()}`;
    const retries = method === 'GET' ? RETRIES : 0;
    for (let attempt = 0; ; attempt++) {
      try {
        const { status, bytes } = await sendOnce(request, authorization);
        if (status >= 200 && status < 300) return bytes;
        throw new GoogleApiError(url, status, parseJson(bytes.toString()));
      } catch (error) {
        signal.throwIfAborted();
        const isFinal = error instanceof GoogleApiError && !PASSING.includes(error.status);
        if (isFinal || attempt >= retries) throw error;
      }
      await sleep(backOffMs({ firstMs: retryMs, mostMs: Infinity }, attempt + 1), undefined, { signal });
    }
  }

  async function callApi<T>(request: GoogleRequest): Promise<T> {
    return asObject(parseJson((await sendRequest(request)).toString())) as T;
  }

  async function findResource<T>(request: GoogleRequest): Promise<T | undefined> {
    try {
      return await callApi<T>(request);
    } catch (error) {
      if (error instanceof GoogleApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  return {
    checkCredentials: async () => void (await token()),
    personEmail: async () => findPersonEmail(await token(), signal),
    call: callApi,
    find: findResource,
    download: (url) => sendRequest({ url, timeoutMs: DOWNLOAD_MS }),
    async list<T>(url: string, field: string) {
      const items: T[] = [];
      let page: string | undefined;
      do {
        const address = new URL(url);
        if (page !== undefined) address.searchParams.set('pageToken', page);
        const answer = await callApi<Record<string, unknown>>({ url: address.href });
        items.push(...(asArray(answer[field]) as T[]));
        page = asText(answer.nextPageToken);
      } while (page !== undefined);
      return items;
    },
    async wait(base, operation) {
      const deadline = performance.now() + OPERATION_MS;
      let current = operation;
      while (!current.done) {
        if (performance.now() > deadline)
          throw new Error(
            `${current.name} of ${new URL(base).hostname} did not end within 5 minutes; run the command again`,
          );
        await sleep(POLL_MS, undefined, { signal });
        current = await callApi({ url: `${base}${current.name}` });
      }
      const { error } = current as { error?: { code?: number } };
      if (error !== undefined) throw new GoogleApiError(base, error.code ?? 500, { error });
    },
  };
}

/** Asks Google for a token's owner: an address if the login asked for it, as gcloud's does. */
async function findPersonEmail(token: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(TOKEN_INFO, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { email, email_verified: isVerified } = asObject(parseJson(await response.text()));
    const isPerson = String(isVerified) === 'true' && !asText(email)?.endsWith(SERVICE_ACCOUNT);
    return isPerson ? asText(email)?.toLowerCase() : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** No token depends on the project. Without one the library would look for it, also by running gcloud. */
const NO_PROJECT = 'none';

/**
 * A source of access tokens, which are kept until shortly before they expire. Needs no gcloud.
 * @returns the source. It throws Google's error when there are no credentials, or when Google refuses them.
 */
function createAccessTokens(): () => Promise<string> {
  const opening = import('../../shared/tools/mcp/auth/googleAuthSdk.ts').then(
    ({ GoogleAuth }) => new GoogleAuth({ projectId: NO_PROJECT, scopes: [SCOPE] }),
  );
  return async () => (await (await opening).getAccessToken()) ?? '';
}
