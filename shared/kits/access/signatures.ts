// Signs and verifies statements with Ed25519 (`node:crypto`). Keys: DER in base64, PKCS#8 or SPKI.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Sign, Statement, Verify } from '../../core/contract/signatures.ts';
import { TerminalError } from '../../core/errors.ts';

const ID_CHARACTERS = 16;

/** A new pair of keys. */
export function generateDecisionKeys(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
  return { privateKey: text, publicKey: derivePublicKey(text) };
}

/** The public key of a private one. @throws TerminalError as `createSigner`. */
export function derivePublicKey(privateKey: string): string {
  const key = createPublicKey(readSigningKey(privateKey, 'private'));
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

/**
 * Signs with a private key.
 * @throws TerminalError `CONFIG_INVALID` for a text that is no private key of Ed25519. The message does not
 * quote it.
 */
export function createSigner(privateKey: string): Sign {
  const key = readSigningKey(privateKey, 'private');
  const id = deriveKeyId(createPublicKey(key));
  return async (statement) => `${id}.${sign(null, encodeStatement(statement), key).toString('base64url')}`;
}

/**
 * Verifies signatures of several keys, so that old signatures stay valid while the private key changes.
 * @param publicKeys separated by commas or white space. Empty: no signature is valid.
 * @throws TerminalError `CONFIG_INVALID` for a text that is no public key of Ed25519.
 */
export function createVerifier(publicKeys: string): Verify {
  const texts = publicKeys.split(/[\s,]+/).filter((text) => text !== '');
  const keys = new Map(
    texts.map((text) => {
      const key = readSigningKey(text, 'public');
      return [deriveKeyId(key), key] as const;
    }),
  );
  return (statement, signature) => {
    const [id = '', value = ''] = signature?.split('.') ?? [];
    const key = keys.get(id);
    return (
      key !== undefined && verify(null, encodeStatement(statement), key, Buffer.from(value, 'base64url'))
    );
  };
}

/** Keys of this process only, for runs whose documents no other process reads. */
export function createOwnSignatures(): { sign: Sign; verify: Verify } {
  const { privateKey, publicKey } = generateDecisionKeys();
  return { sign: createSigner(privateKey), verify: createVerifier(publicKey) };
}

/** The bytes that are signed. JSON separates the fields without ambiguity. */
export function encodeStatement({ kind, fields }: Statement): Buffer {
  return Buffer.from(JSON.stringify([`inquest/${kind}/v1`, ...fields]));
}

function deriveKeyId(publicKey: KeyObject): string {
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('hex').slice(0, ID_CHARACTERS);
}

function readSigningKey(text: string, kind: 'private' | 'public'): KeyObject {
  const key = Buffer.from(text.trim(), 'base64');
  try {
    const read =
      kind === 'private'
        ? createPrivateKey({ key, format: 'der', type: 'pkcs8' })
        : createPublicKey({ key, format: 'der', type: 'spki' });
    if (read.asymmetricKeyType === 'ed25519') return read;
  } catch {
    // The error of node:crypto has no further information.
  }
  throw new TerminalError(
    'CONFIG_INVALID',
    `a ${kind} key of decisions is no Ed25519 key: expected DER in base64, as docs/security.md shows`,
  );
}
