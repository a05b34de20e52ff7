// Explains why there is no token for an MCP server, and how to fix it: in one sentence, without secrets.

import { RetryableError, TerminalError } from '../../../core/errors.ts';
import { createMasker } from '../../../masking/masker.ts';
import { quoteText } from '../../../text/cut.ts';
import { asObject, asText } from '../../../text/json.ts';

const CODE = 'TOOL_SERVER_UNAVAILABLE';
/** Longest quotation of Google's own words, in characters. */
const MAX_LENGTH = 200;
/** The library's message for missing credentials. */
const NO_CREDENTIALS = /Could not load the default credentials/;
/** Statuses after which a retry can help. */
const TEMPORARY: readonly unknown[] = [408, 425, 429];

/** An access token if there are scopes, else an ID token. */
export interface WantedToken {
  /** The audience of an ID token: the URL's origin, or the configured one. */
  audience: string;
  /** Scopes of an access token. Undefined: an ID token is wanted. */
  scopes: string[] | undefined;
  /** Address of the service account that the token is minted for. Undefined: the process's own. */
  impersonate: string | undefined;
}

/** The credentials are of a kind that gives no ID token for an audience. */
export class UserCredentialsError extends Error {
  constructor() {
    super(
      'auth: google needs an ID token, and the credentials found give none for an audience, as those of a user do; ' +
        'set impersonate to a service account that may call the server, or run with the credentials of one',
    );
  }
}

/** Terminal where Google refused, or was not asked; retryable where it did not answer. */
export function tokenFailure(
  error: unknown,
  { impersonate, scopes }: WantedToken,
  learned: readonly string[],
): TerminalError | RetryableError {
  const detail = createMasker({ known: learned })
    .mask(describeTokenError(error))
    .text.replace(/\s+/g, ' ')
    .trim();
  const because = quoteText(detail, MAX_LENGTH, 'words');
  if (error instanceof UserCredentialsError) return new TerminalError(CODE, error.message);
  if (NO_CREDENTIALS.test(detail)) {
    const message =
      'auth: google found no credentials; on Google Cloud deploy the service with a service account, elsewhere run ' +
      '`gcloud auth application-default login` or name a key file in GOOGLE_APPLICATION_CREDENTIALS';
    return new TerminalError(CODE, message);
  }
  const status = readTokenStatus(error);
  if (status === undefined && /GOOGLE_APPLICATION_CREDENTIALS/.test(detail)) {
    return new TerminalError(CODE, `auth: google cannot use the credentials: ${because}`);
  }
  if (status === undefined || status >= 500 || TEMPORARY.includes(status)) {
    return new RetryableError(CODE, `auth: google got no token: ${because}`);
  }
  if (impersonate !== undefined) {
    const role =
      scopes === undefined
        ? 'roles/iam.serviceAccountOpenIdTokenCreator'
        : 'roles/iam.serviceAccountTokenCreator';
    const message = `impersonate: no token of ${impersonate} (HTTP ${status}: ${because}); give the service account of runIteration ${role} on it, and enable iamcredentials.googleapis.com`;
    return new TerminalError(CODE, message);
  }
  return new TerminalError(
    CODE,
    `auth: google got no token (HTTP ${status}: ${because}); check the service account of runIteration, and audience or scopes`,
  );
}

function readTokenStatus(error: unknown): number | undefined {
  const status = asObject(asObject(error).response).status ?? asObject(error).status;
  return typeof status === 'number' ? status : undefined;
}

/** Google's own message if there is one. */
function describeTokenError(error: unknown): string {
  const { data } = asObject(asObject(error).response);
  const words = asText(asObject(asObject(data).error).message);
  return words ?? (error instanceof Error ? error.message : String(error));
}
