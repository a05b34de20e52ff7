// Signatures of decisions and HMACs of API keys: the right to write the database is no right to decide.

/** The variable with the private key of decisions, and the one with the public keys. */
export const SIGNING_KEY = 'INQUEST_DECISION_KEY';
export const VERIFYING_KEYS = 'INQUEST_DECISION_PUBLIC_KEYS';
/** The variable with the secrets of the HMACs of API keys. The first one signs, and all verify. */
export const KEY_SECRETS = 'INQUEST_KEY_SECRETS';

/** The subject of a signature, part of the signed bytes: one kind proves nothing of another. */
export type SignedKind = 'approval' | 'press' | 'apiKey';

/** A signed statement. Equal statements have equal bytes, and different ones different bytes. */
export interface Statement {
  kind: SignedKind;
  /** The values in a fixed order. */
  fields: readonly string[];
}

/**
 * Signs a statement. The signature, or the HMAC, names its key.
 * @throws Error when the key cannot be read.
 */
export type Sign = (statement: Statement) => Promise<string>;

/** Whether a signature is one of this statement, by a known key. False for null. Never throws. */
export type Verify = (statement: Statement, signature: string | null) => boolean;
