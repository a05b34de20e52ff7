// HMACs of statements (SHA-256), by `node:crypto`. Secrets are texts: at least 32 random bytes in base64.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { KEY_SECRETS, type Sign, type Statement, type Verify } from '../../core/contract/signatures.ts';
import { TerminalError } from '../../core/errors.ts';
import { encodeStatement } from './signatures.ts';

const SECRET_BYTES = 32;
const ID_CHARACTERS = 16;

interface Secret {
  id: string;
  value: Buffer;
}

/** A new secret. */
export function generateSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Signs with the first of several secrets.
 * @param secrets separated by commas or white space.
 * @throws TerminalError `CONFIG_INVALID` for a text that is no secret, or for none. The message does not
 * quote it.
 */
export function createMacSigner(secrets: string): Sign {
  const [first] = readSecrets(secrets);
  if (first === undefined) throw new TerminalError('CONFIG_INVALID', `${KEY_SECRETS} has no secret`);
  return async (statement) => `${first.id}.${computeMac(statement, first).toString('base64url')}`;
}

/**
 * Verifies HMACs of several secrets, so that old ones stay valid while the secret changes.
 * @param secrets as above. Empty: no HMAC is valid.
 * @throws TerminalError `CONFIG_INVALID` for a text that is no secret.
 */
export function createMacVerifier(secrets: string): Verify {
  const byId = new Map(readSecrets(secrets).map((secret) => [secret.id, secret]));
  return (statement, mac) => {
    const [id = '', text = ''] = mac?.split('.') ?? [];
    const secret = byId.get(id);
    if (secret === undefined) return false;
    const [given, expected] = [Buffer.from(text, 'base64url'), computeMac(statement, secret)];
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
}

function computeMac(statement: Statement, { value }: Secret): Buffer {
  return createHmac('sha256', value).update(encodeStatement(statement)).digest();
}

function readSecrets(secrets: string): Secret[] {
  const texts = secrets.split(/[\s,]+/).filter((text) => text !== '');
  return texts.map((text, index) => {
    const value = Buffer.from(text, 'base64');
    // Node skips other characters.
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || value.length < SECRET_BYTES)
      throw new TerminalError(
        'CONFIG_INVALID',
        `${KEY_SECRETS}: secret ${index + 1} does not have at least ${SECRET_BYTES} bytes in base64, as docs/security.md shows`,
      );
    const id = createHmac('sha256', value).update('inquest/id/v1').digest('hex').slice(0, ID_CHARACTERS);
    return { id, value };
  });
}
