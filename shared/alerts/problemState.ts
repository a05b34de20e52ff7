// The state of a session's problem at its source: it fires, it was resolved, or nothing is known. Pure.

import * as z from 'zod';
import { readPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import type { ProblemState } from '../text/problemWords.ts';
import { ALERT_STATUSES, type Alert, readSessionAlert } from './schema/alert.ts';
import type { Incident } from './schema/incident.ts';
import { rerunPart } from './schema/rerun.ts';
import { routingPart } from './schema/routing.ts';
import { askPart } from './schema/sessionAsk.ts';

/** The state of a problem in answers of the API. */
export const problemSchema = z
  .strictObject({
    status: z
      .enum(ALERT_STATUSES)
      .describe('`unknown`: the source names no state, or no later report can be recognised'),
    at: z.date().nullable().describe('Since when it fires, or when it was resolved'),
    repeats: z.int().describe('Reports that it fires, after the first one of the session'),
  })
  .describe(
    'The state of the problem at the source of the alert, as of now',
  ) satisfies z.ZodType<ProblemState>;

/** The reports of one problem, as its incident stores them. */
export type ReportedProblem = Pick<Incident, 'firing' | 'firesSince' | 'resolvedAt'>;

/** The reports that decide about a session. */
interface SessionProblems {
  /** Of its own alert; undefined for an alert without identity, whose later reports cannot be recognised. */
  own: ReportedProblem | undefined;
  /** Of the sessions that people merged into it. */
  merged: readonly ReportedProblem[];
  /** How often its source reported that it fires, including the report that opened the session. */
  firing: number;
}

type State = Omit<ProblemState, 'repeats'>;

/** The order in which states of several problems count: the session is over when all of them are. */
const ORDER = ['firing', 'acknowledged', 'unknown', 'resolved', 'test'] as const;

/**
 * The state of a session's problem. Of several problems, one that fires counts first, then one that is not
 * known to be over.
 * @returns null for a session without an alert.
 */
export function decideProblem(
  { alert, createdAt }: { alert: Pick<Alert, 'status'> | null; createdAt: Date | null },
  { own, merged, firing }: SessionProblems,
): ProblemState | null {
  if (alert === null) return null;
  const states = [decideOwn(alert.status, createdAt, own), ...merged.map(decideReported)];
  const status = ORDER.find((one) => states.some((state) => state.status === one)) ?? 'unknown';
  const times = states.flatMap(({ at, ...state }) => (state.status === status && at !== null ? [at] : []));
  const sorted = times.toSorted((a, b) => a.getTime() - b.getTime());
  // They fire since the first one, and are resolved since the last one.
  const at = (status === 'firing' ? sorted[0] : sorted.at(-1)) ?? null;
  return { status, at, repeats: Math.max(0, firing - 1) };
}

/** @param status of the alert that opened the session. */
function decideOwn(
  status: Alert['status'],
  createdAt: Date | null,
  reported: ReportedProblem | undefined,
): State {
  if (reported !== undefined) {
    const state = decideReported(reported);
    // The source repeats the alert, and never named its state.
    return status === 'unknown' && state.status === 'firing' ? { status, at: null } : state;
  }
  // It fired then, and no report of its end can be recognised.
  if (status === 'firing') return { status: 'unknown', at: null };
  return { status, at: status === 'resolved' ? createdAt : null };
}

function decideReported({ firing, firesSince, resolvedAt }: ReportedProblem): State {
  if (firing) return { status: 'firing', at: firesSince };
  return resolvedAt === null ? { status: 'acknowledged', at: null } : { status: 'resolved', at: resolvedAt };
}

/** The fields of a session by which the reports of its problem are found. */
export interface ProblemSubject extends Pick<Session, 'sessionId' | 'tenantId'> {
  /** The session that it repeats; null for any other. */
  rerunOf: string | null;
  /** Null for a question or a check. */
  alert: Pick<Alert, 'source' | 'identity' | 'status'> | null;
  /** The chain that its message named; null if it named none. */
  namedChain: string | null;
  /** Null if its document lacks it. */
  createdAt: Date | null;
}

/** The fields of a stored session by which the reports of its problem are found. */
export function problemSubject(session: Session): ProblemSubject {
  const { sessionId, tenantId, chain, createdAt } = session;
  const alert = readPart(askPart, session) === undefined ? readSessionAlert(session) : null;
  const rerunOf = readPart(rerunPart, session)?.of ?? null;
  const namedChain = readPart(routingPart, session)?.by === 'message' ? chain.name : null;
  return { sessionId, tenantId, rerunOf, alert, namedChain, createdAt };
}
