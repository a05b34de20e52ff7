// Signatures of what people decide, so that the right to write the database is no right to decide.

/** The variable with the private key of decisions, and the one with the public keys. */
export const SIGNING_KEY = 'INQUEST_DECISION_KEY';
export const VERIFYING_KEYS = 'INQUEST_DECISION_PUBLIC_KEYS';

/** The subject of a signature. It is part of the signed bytes, so that a signature of one kind proves nothing of another. */
export type SignedKind = 'approval' | 'press';

/** A signed statement. Equal statements have equal bytes, and different ones different bytes. */
export interface Statement {
  kind: SignedKind;
  /** The values in a fixed order. */
  fields: readonly string[];
}

/**
 * Signs a statement. The signature names its key.
 * @throws Error when the private key cannot be read.
 */
export type Sign = (statement: Statement) => Promise<string>;

/** Whether a signature is one of this statement, by a known key. False for null. Never throws. */
export type Verify = (statement: Statement, signature: string | null) => boolean;
