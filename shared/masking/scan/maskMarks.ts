// The mark that stands where a secret stood: `[masked:password#3f2a1c]`.

import { createHmac } from 'node:crypto';
import { runAllSteps } from '../../text/yieldingSteps.ts';

/** Six digits, comparable by eye. Two of 100 secrets of a session are equal once in 3,400 sessions. */
const FEWEST_DIGITS = 6;
const MORE_DIGITS = 6;
const ALL_DIGITS = 64;
/** Of the HMAC's 32 bytes: no two secrets are equal in 24 digits. */
const DIGEST_BYTES = 12;

/** A mark, wherever it stands. */
export const MARK = /\[masked:[a-z][a-z0-9-]{0,40}(?:#[0-9a-f]{6,64})?\]/g;

/** Valid kinds: marks with other kinds would not be recognised as marks. */
export const KIND = /^[a-z][a-z0-9-]{0,40}$/;

interface MarkedSecret {
  /** Must match `KIND`. */
  kind: string;
  /** The secret in clear text. */
  secret: string;
}

/** Makes marks of one session. */
export interface Marker {
  /** A mark for each secret. Equal secrets have equal digits in every call, different ones differ. */
  marksFor(secrets: readonly MarkedSecret[]): string[];
  /** Makes the marks of these secrets, one at a time, after steps of some milliseconds. */
  markingOf(secrets: readonly MarkedSecret[]): Generator<undefined, (secret: MarkedSecret) => string>;
}

/** Secrets of a step. */
const STEP = 5000;

/**
 * @param sessionKey key of the HMAC that gives the digits. Without it marks have none, and equal secrets look
 * as different ones.
 * @param known secrets whose digits are kept apart from all others, whether they stand in a text or not.
 */
export function createMarker(sessionKey: string | undefined, known: readonly string[]): Marker {
  if (sessionKey === undefined) {
    const markOf = ({ kind }: MarkedSecret): string => `[masked:${kind}]`;
    return {
      marksFor: (secrets) => secrets.map(markOf),
      *markingOf() {
        yield undefined;
        return markOf;
      },
    };
  }
  const digest = (secret: string) =>
    createHmac('sha256', sessionKey).update(secret).digest().toString('hex', 0, DIGEST_BYTES);
  const ofKnown = new Set(known.map(digest));
  function* markingOf(
    secrets: readonly MarkedSecret[],
  ): Generator<undefined, (secret: MarkedSecret) => string> {
    // A hostile text repeats its secrets by the ten thousand.
    const digests = new Map<string, string>();
    const seen = new Set<number>();
    const shared = new Set<number>();
    const count = (digits: string): void => {
      const head = parseMarkHead(digits);
      if (seen.has(head)) shared.add(head);
      seen.add(head);
    };
    for (const digits of ofKnown) count(digits);
    for (const [index, { secret }] of secrets.entries()) {
      if (!digests.has(secret)) {
        const digits = digest(secret);
        digests.set(secret, digits);
        if (!ofKnown.has(digits)) count(digits);
      }
      if (index % STEP === STEP - 1) yield undefined;
    }
    const isShared = (digits: string): boolean => shared.has(parseMarkHead(digits));
    // Few of many: all others need the fewest digits.
    const alike = new Set([...ofKnown].filter(isShared));
    for (const digits of digests.values()) if (isShared(digits)) alike.add(digits);
    const lengths = digitsNeeded(alike);
    yield undefined;
    return ({ kind, secret }) => {
      const digits = digests.get(secret) ?? '';
      return `[masked:${kind}#${digits.slice(0, lengths.get(digits) ?? FEWEST_DIGITS)}]`;
    };
  }
  return { markingOf, marksFor: (secrets) => secrets.map(runAllSteps(markingOf(secrets))) };
}

/** The fewest digits as a number: many of them take less memory than texts. */
const parseMarkHead = (digits: string): number => Number.parseInt(digits.slice(0, FEWEST_DIGITS), 16);

/**
 * How many digits distinguish each digest from all others: six, and six more for all those that are equal in
 * them. It depends only on the set, not on its order, so every instance gives the same marks for the same
 * text.
 */
export function digitsNeeded(digests: ReadonlySet<string>): Map<string, number> {
  const needed = new Map<string, number>();
  let open = [...digests];
  for (let digits = FEWEST_DIGITS; open.length > 0; digits += MORE_DIGITS) {
    const counts = new Map<string, number>();
    for (const digest of open) {
      const head = digest.slice(0, digits);
      counts.set(head, (counts.get(head) ?? 0) + 1);
    }
    const unique = (digest: string) => counts.get(digest.slice(0, digits)) === 1 || digits >= ALL_DIGITS;
    for (const digest of open.filter(unique)) needed.set(digest, Math.min(digits, ALL_DIGITS));
    open = open.filter((digest) => !unique(digest));
  }
  return needed;
}
