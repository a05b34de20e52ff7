// Reads an HTTP request's context from headers, or from its verified identity, which takes precedence.

import { type Context, type ContextReading, readContext } from './context.ts';

/** Headers as Node gives them. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The identity in a verified token. With it, headers cannot name a user or a tenant. */
interface VerifiedIdentity {
  /** The user that the token names. */
  userId: string;
  /** The default tenant if the issuer does not name one. */
  tenantId: string;
}

/** The header of each field of the context. */
export const HEADERS = {
  tenantId: 'X-Tenant-Id',
  userId: 'X-User-Id',
  sessionId: 'X-Session-Id',
  clientId: 'X-Client-Id',
  isEval: 'X-Is-Eval',
  model: 'X-Model-Name',
  agent: 'X-Agent-Schema',
} as const satisfies Partial<Record<keyof Context, string>>;

const YES = ['true', '1', 'yes'];

/**
 * The context of a request. Header names are case-insensitive. An empty header counts as absent, but an empty
 * `X-Tenant-Id` stays in the context.
 * @param options.identity the verified identity. Default: the headers are trusted, only for use on one
 * machine.
 * @param options.sessionId the session in the request's address; it takes precedence over `X-Session-Id`.
 */
export function contextOfHeaders(
  headers: Headers,
  { identity, sessionId }: { identity?: VerifiedIdentity; sessionId?: string } = {},
): ContextReading {
  const values = new Map<string, string>();
  const known: readonly string[] = Object.values(HEADERS).map((name) => name.toLowerCase());
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (value === undefined || !known.includes(key)) continue;
    const all = typeof value === 'string' ? [value] : value;
    // Two values are ambiguous.
    if (all.length > 1 || values.has(key))
      return { ok: false, fault: `${name}: it is there more than once; send it once` };
    values.set(key, all[0]?.trim() ?? '');
  }
  const given = (field: keyof typeof HEADERS) => values.get(HEADERS[field].toLowerCase());
  const named = (field: keyof typeof HEADERS) => given(field) || null;
  const tenantId = given('tenantId');
  const isEval = YES.includes((given('isEval') ?? '').toLowerCase());
  return readContext(
    {
      userId: named('userId'),
      ...(tenantId !== undefined && { tenantId }),
      ...identity,
      sessionId: sessionId ?? named('sessionId'),
      clientId: named('clientId'),
      model: named('model'),
      agent: named('agent'),
      isEval,
    },
    identity === undefined
      ? HEADERS
      : { ...HEADERS, userId: 'the verified user', tenantId: 'the verified tenant' },
  );
}
