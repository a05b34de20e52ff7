// The check that a session runs: its question, the end of the run before, and its result.

import * as z from 'zod';
import type { TerminalStatus } from '../../core/schema/common.ts';
import { definePart, readPart, type WithParts } from '../../core/schema/parts.ts';

/** The results of a check. */
const CHECK_RESULTS = ['healthy', 'attention'] as const;
type CheckResult = (typeof CHECK_RESULTS)[number];

/** When the end of a check is delivered: if it differs from the end of the run before, or always. */
export const CHECK_DELIVERIES = ['changed', 'always'] as const;

/** The ends of a check that are compared: its result, or `failed` if it has none. */
const endSchema = z.enum([...CHECK_RESULTS, 'failed']);

/** The check of a session of the kind `check`. */
const sessionCheckSchema = z.strictObject({
  checkId: z.string().min(1),
  /** The schedule; null for a check that a program requested. */
  schedule: z.string().min(1).nullable(),
  /** The time for which it was requested. */
  slot: z.date(),
  /** The question of its author, without secrets; null if its text is an alert. */
  question: z.string().min(1).nullable(),
  /** The end of the schedule's run before; null if there is none. */
  previous: endSchema.nullable(),
  delivers: z.enum(CHECK_DELIVERIES),
  /** Null until it completes, and if it ends otherwise. */
  result: z.enum(CHECK_RESULTS).nullable(),
});
/** The check of a session. */
export type SessionCheck = z.infer<typeof sessionCheckSchema>;

/** The check that a session of the kind `check` runs. */
export const checkPart = definePart('session', 'check', sessionCheckSchema);

/** A line of an analysis that states the result. Quotes, list marks and emphasis around it do not matter. */
const RESULT_LINE = /^[^\p{L}\n]*check[ _-]?result\P{L}+(healthy|attention)\P{L}*$/gimu;

/**
 * The result that an analysis states: `attention` if one of its lines does, and if none states a result,
 * because a check that cannot state that all is well needs a person.
 */
export function resultIn(analysis: string | null): CheckResult {
  const found = [...(analysis ?? '').matchAll(RESULT_LINE)].map(([, word = '']) => word.toLowerCase());
  return found.length > 0 && found.every((word) => word === 'healthy') ? 'healthy' : 'attention';
}

interface CheckedSession extends WithParts {
  status: string;
  finalAnalysis: string | null;
}

/** The check of a session, with its result if the session completed; undefined without a check. */
export function withCheckResult(session: CheckedSession): SessionCheck | undefined {
  const { status, finalAnalysis } = session;
  const check = readPart(checkPart, session);
  if (check === undefined || status !== 'completed') return check;
  return { ...check, result: resultIn(finalAnalysis) };
}

/** The end of a check's session, for the next run. A cancelled run keeps that of the run before. */
export function checkEnd(check: SessionCheck, status: TerminalStatus): SessionCheck['previous'] {
  if (status === 'cancelled') return check.previous;
  return status === 'completed' ? (check.result ?? 'attention') : 'failed';
}

/** Whether the end of a check is delivered. A first run that is healthy is no change. */
export function isCheckDelivered(check: SessionCheck, status: TerminalStatus): boolean {
  if (check.delivers === 'always') return true;
  return checkEnd(check, status) !== (check.previous ?? 'healthy');
}
