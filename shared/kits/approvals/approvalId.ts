// The id of an approval, in a form that people can type.

import { createHash } from 'node:crypto';
import type { Execution } from '../../core/schema/execution.ts';

/** Crockford's base 32: no letter that looks like a digit, and no u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits: in a million approvals, the chance that two share an id is about one in two thousand. */
const LENGTH = 10;

/**
 * The id of the approval of a call: `k7f3q-9mtxz`. It derives from the call, so a batch that is rebuilt asks
 * only once. The id is no secret: a decision is authorized by checks, not by knowledge of the id.
 */
export function deriveApprovalId(
  { sessionId, executionId, iteration }: Pick<Execution, 'sessionId' | 'executionId' | 'iteration'>,
  index: number,
): string {
  const digest = createHash('sha256').update(`${sessionId}/${executionId}/${iteration}/${index}`).digest();
  const letters = [...digest.subarray(0, LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Normalizes typed input to an id: any case, with or without dash, letters that look like digits. */
export function readApprovalId(text: string): string {
  const letters = text.trim().toLowerCase().replaceAll(/[-\s]/g, '');
  const plain = letters.replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return plain.length === LENGTH ? `${plain.slice(0, LENGTH / 2)}-${plain.slice(LENGTH / 2)}` : plain;
}
