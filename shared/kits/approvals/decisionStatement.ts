// The statement that the signature of a decision is about: the call as it runs, and who decided when. Pure.

import { createHash } from 'node:crypto';
import type { Statement } from '../../core/contract/signatures.ts';
import type { Approval } from '../../core/schema/approval.ts';
import { isObject, parseJson } from '../../text/json.ts';

/** A decision about a call. */
interface SignedDecision extends Pick<Approval, 'approvalId' | 'toolName' | 'arguments'> {
  verdict: 'approved' | 'denied';
  by: string;
  at: Date;
}

/** The statement of a decision. */
export function decisionStatement(decision: SignedDecision): Statement {
  const { approvalId, toolName, arguments: args, verdict, by, at } = decision;
  return {
    kind: 'approval',
    fields: [approvalId, toolName, argumentsDigest(args), verdict, by, at.toISOString()],
  };
}

/** The database does not keep the order of bound arguments, so the digest ignores it. */
function argumentsDigest(text: string): string {
  const parsed = parseJson(text);
  const canonical = parsed === undefined ? text : JSON.stringify(parsed, sortKeys);
  return createHash('sha256').update(canonical).digest('hex');
}

function sortKeys(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
