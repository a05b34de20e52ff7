// The id of an approval, which people type.

import { createHash } from 'node:crypto';
import type { Execution } from '../../../schema/execution.ts';

/** Crockford's: no letter that reads like a digit, and no u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 50 bits: among a million approvals, two with the same id are a matter of one in two thousand. */
const LENGTH = 10;

/**
 * The id of the approval of a call: `k7f3q-9mtxz`. It derives from the call, so that a batch that is built twice asks once.
 * It is no secret: what may be decided is checked, not guessed.
 */
export function approvalIdOf(
  { sessionId, executionId, iteration }: Pick<Execution, 'sessionId' | 'executionId' | 'iteration'>,
  index: number,
): string {
  const digest = createHash('sha256').update(`${sessionId}/${executionId}/${iteration}/${index}`).digest();
  const letters = [...digest.subarray(0, LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** What a person typed, as an id: in any case, with or without the dash, and with letters that look like digits. */
export function readApprovalId(text: string): string {
  const letters = text.trim().toLowerCase().replaceAll(/[-\s]/g, '');
  const plain = letters.replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return plain.length === LENGTH ? `${plain.slice(0, LENGTH / 2)}-${plain.slice(LENGTH / 2)}` : plain;
}
