// Creates, lists, revokes and verifies the API keys of programs. Only the creator of a key sees it, once. An
// HMAC of its document proves that someone with the secret created it, so that the right to write the
// database creates no key.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from '../../core/contract/logger.ts';
import { KEY_SECRETS, type Sign, type Statement, type Verify } from '../../core/contract/signatures.ts';
import { createDocument, replaceDocument, type Store } from '../../core/contract/store.ts';
import { RetryableError } from '../../core/errors.ts';
import type { Clock } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { ApiRole } from '../../schema/apiRole.ts';
import { type ApiKey, apiKeyType } from './apiKeyDocument.ts';

/** The prefix of every key, by which people and scanners recognise one. */
const API_KEY_PREFIX = 'inq_';
const KEY = /^inq_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/;
const SECRET_BYTES = 32;
const ID_BYTES = 6;

interface KeyDeps {
  store: Store;
  clock: Clock;
}

interface NewKey {
  /** The purpose of the key, for lists. */
  name: string;
  /** The tenant whose documents the key can reach. */
  tenantId: string;
  /** The operations that the key allows. */
  role: ApiRole;
  /** Name of the creator; stored and shown. */
  createdBy: string;
  /** Milliseconds until the key expires. */
  lifetimeMs: number;
}

/**
 * Creates a key. Its text is not stored.
 * @throws RetryableError when the store fails; Error when `sign` cannot read its secret.
 */
export async function createApiKey(
  { lifetimeMs, ...given }: NewKey,
  { store, clock, sign }: KeyDeps & { sign: Sign },
): Promise<{ key: ApiKey; text: string }> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const keyId = randomBytes(ID_BYTES).toString('hex');
  const createdAt = clock.now();
  const expireAt = new Date(createdAt.getTime() + lifetimeMs);
  const signed = { ...given, keyId, digest: digestApiKey(secret), createdAt, expireAt };
  const key: ApiKey = { ...signed, mac: await sign(pickKeyStatement(signed)), revoked: null };
  const result = await store.commit([createDocument(apiKeyType.paths.apiKey(keyId), apiKeyType, key)]);
  if (!result.ok) throw new RetryableError('STORE_CONFLICT', `the key ${keyId} is there already`);
  return { key, text: `${API_KEY_PREFIX}${keyId}_${secret}` };
}

/** All stored keys, including refused ones, the newest first. Throws like `Store.list`. */
export async function listApiKeys(store: Store): Promise<ApiKey[]> {
  const stored = await store.list({ collection: apiKeyType.paths.apiKeys }, apiKeyType);
  return stored.map(({ value }) => value).sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
}

/**
 * Revokes a key; the next request with it is refused. This needs no secret: it must always be possible.
 * @returns the current key; undefined when it does not exist. @throws RetryableError when the store fails.
 */
export async function revokeApiKey(
  keyId: string,
  by: string,
  { store, clock }: KeyDeps,
): Promise<ApiKey | undefined> {
  return retryLostRaces<ApiKey | undefined>(`the key ${keyId}`, DOCUMENT_RACES, async () => {
    const stored = await store.get(apiKeyType.paths.apiKey(keyId), apiKeyType);
    if (stored === undefined || stored.value.revoked !== null) return stored?.value;
    const value: ApiKey = { ...stored.value, revoked: { by, at: clock.now() } };
    const result = await store.commit([replaceDocument(stored.path, apiKeyType, value, stored.version)]);
    return result.ok ? value : RACE_LOST;
  });
}

/** The id in a text that has the form of a key; undefined for any other text. */
export function idOfApiKey(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

/** Compared for ids that do not exist, so that both cases take the same time. */
const NO_DIGEST = digestApiKey('');

/**
 * The key with this text; undefined when it does not exist, is revoked, has expired, or has no valid HMAC.
 * Callers do not learn the reason; the log has that of the last case.
 * @throws RetryableError when the store fails.
 */
export async function findApiKey(
  text: string,
  { store, clock, verify, log }: KeyDeps & { verify: Verify; log: Logger },
): Promise<ApiKey | undefined> {
  const [, keyId = '', secret = ''] = KEY.exec(text) ?? [];
  if (keyId === '') return undefined;
  const key = (await store.get(apiKeyType.paths.apiKey(keyId), apiKeyType))?.value;
  const digest = key?.digest ?? NO_DIGEST;
  const isRight = timingSafeEqual(Buffer.from(digest, 'hex'), Buffer.from(digestApiKey(secret), 'hex'));
  if (!isRight || key?.revoked !== null || key.expireAt <= clock.now()) return undefined;
  // The id of the document, so that a copy at another path is refused.
  if (verify(pickKeyStatement({ ...key, keyId }), key.mac)) return key;
  log.warn({ keyId }, key.mac === null ? UNSIGNED : ALTERED);
  return undefined;
}

const UNSIGNED =
  'an API key is refused: it has no HMAC. A version before HMACs created it, or something else wrote it into the database. ' +
  'Create a new one with `inquest keys create`';
const ALTERED =
  'an API key is refused: its HMAC is not valid. Its document was changed, or was signed with a secret that is not in ' +
  `${KEY_SECRETS} of the API. List the secret, or create a new key with \`inquest keys create\``;

/** Everything of a key that decides anything, except its revocation, which only takes rights away. */
function pickKeyStatement(key: Omit<ApiKey, 'mac' | 'revoked'>): Statement {
  const { keyId, digest, role, tenantId, name, createdBy, createdAt, expireAt } = key;
  const times = [createdAt, expireAt].map((time) => time.toISOString());
  return { kind: 'apiKey', fields: [keyId, digest, role, tenantId, name, createdBy, ...times] };
}

function digestApiKey(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
