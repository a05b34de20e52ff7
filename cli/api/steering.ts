// Changes of running sessions through the API: cancel, pause, resume, start, guide and decide.

import type { KnownOutcome } from '../../shared/runtime/features/approval/decideApproval.ts';
import type { Approval } from '../../shared/schema/control.ts';
import type { OnUnreadable, Unreadable } from '../../shared/schema/readable.ts';
import { printable } from '../print/printer.ts';
import { type ApiClient, withDates } from './apiClient.ts';

/** The result of a change: fields for JSON output, and a line for people. */
interface Outcome {
  fields: object;
  line: string;
}

/** Cancels a session. */
export async function cancel(api: ApiClient, sessionId: string, reason: string | null): Promise<Outcome> {
  const body = reason === null ? {} : { reason };
  const fields = await api.post<{ outcome: string; status: string | null }>(
    `/v1/sessions/${sessionId}/cancel`,
    body,
  );
  const lines: Record<string, string> = {
    cancelled: `session ${sessionId} is cancelled`,
    question_cancelled: `the question that session ${sessionId} answered is cancelled`,
    already_ended: `session ${sessionId} had ended before: ${fields.status}`,
  };
  return {
    fields: { sessionId, ...fields },
    line: lines[fields.outcome] ?? `session ${sessionId}: ${fields.outcome}`,
  };
}

/** Pauses or resumes a session. */
export async function pauseOrResume(
  api: ApiClient,
  sessionId: string,
  verb: 'pause' | 'resume',
): Promise<Outcome> {
  type Answer = { outcome: string; published?: number; paused?: { by: string; at: string } };
  const fields = await api.post<Answer>(`/v1/sessions/${sessionId}/${verb}`, {});
  const agents = `${fields.published} ${fields.published === 1 ? 'agent goes' : 'agents go'} on`;
  const lines: Record<string, string> = {
    paused: 'is paused; iterations that are under way finish',
    already_paused: `was paused before, by ${printable(fields.paused?.by ?? '')} at ${fields.paused?.at}`,
    resumed: `is resumed; ${agents}`,
    not_paused: `was not paused${fields.published ? `; ${agents}` : ''}`,
  };
  return {
    fields: { sessionId, ...fields },
    line: `session ${sessionId} ${lines[fields.outcome] ?? fields.outcome}`,
  };
}

/** Starts a deferred session. */
export async function startDeferred(api: ApiClient, sessionId: string): Promise<Outcome> {
  type Answer = { outcome: string; isPublished: boolean };
  const fields = await api.post<Answer>(`/v1/sessions/${sessionId}/start`, {});
  const wait = fields.isPublished
    ? ''
    : '; publishing to Pub/Sub failed, so the sweep starts it within minutes';
  return { fields: { sessionId, ...fields }, line: `session ${sessionId} is started${wait}` };
}

/** Gives guidance to the agents of a session. */
export async function guide(api: ApiClient, sessionId: string, text: string): Promise<Outcome> {
  type Answer = { outcome: string; guidance: { number: number }; isPaused: boolean };
  const { outcome, guidance, isPaused } = await api.post<Answer>(`/v1/sessions/${sessionId}/guidance`, {
    text,
  });
  const when = isPaused ? 'once the session is resumed' : 'when they next ask their model';
  return {
    fields: { outcome, isPaused, ...guidance },
    line: `session ${sessionId} ${outcome === 'told' ? 'has' : 'had the same'} guidance ${guidance.number}; its agents read it ${when}`,
  };
}

/** A piece of guidance as the API shows it. */
export interface GuidanceState {
  guidance: { number: number; givenBy: string; createdAt: Date; text: string };
  readBy: string[];
  state: 'read' | 'pending' | 'unread';
}

/** All guidance of a session, oldest first. */
export async function listGuidance(
  api: ApiClient,
  sessionId: string,
  onUnreadable: OnUnreadable,
): Promise<GuidanceState[]> {
  type Answer = { guidance: GuidanceState[]; unreadable: Unreadable[] };
  const found = withDates(await api.get(`/v1/sessions/${sessionId}/guidance`)) as Answer;
  found.unreadable.forEach(onUnreadable);
  return found.guidance;
}

/** The tool calls that wait for a decision. */
export async function listApprovals(api: ApiClient, onUnreadable: OnUnreadable): Promise<Approval[]> {
  type Answer = { approvals: Approval[]; unreadable: Unreadable[] };
  const { approvals, unreadable } = withDates(await api.get('/v1/approvals')) as Answer;
  unreadable.forEach(onUnreadable);
  return approvals;
}

/** Approves or denies a tool call. @throws Error when a different decision was made before. */
export async function decide(
  api: ApiClient,
  approvalId: string,
  { verdict, reason }: { verdict: 'approved' | 'denied'; reason: string | null },
): Promise<Outcome> {
  const body = { verdict, ...(reason !== null && { reason }) };
  const answer = await api.post(`/v1/approvals/${approvalId}`, body);
  const { outcome, approval } = withDates(answer) as { outcome: KnownOutcome['kind']; approval: Approval };
  const { status, decidedBy, toolName, sessionId } = approval;
  // An earlier attempt can have stored the same decision while its response was lost.
  const isWanted =
    outcome === 'decided' ||
    (outcome === 'already_decided' &&
      status === verdict &&
      decidedBy === (await api.get<{ name: string }>('/v1/me')).name);
  if (!isWanted) throw new Error(describeOutcome({ kind: outcome, approval }));
  return {
    fields: approval,
    line: `${verdict} ${printable(toolName)} in session ${sessionId}, by ${printable(decidedBy ?? '')}`,
  };
}

/** The stored state that made a decision have no effect, in one sentence. */
export function describeOutcome(outcome: KnownOutcome): string {
  const { approvalId, status, decidedBy, decidedAt, until, sessionId } = outcome.approval;
  switch (outcome.kind) {
    case 'decided':
    case 'already_decided':
      return `${approvalId} was already decided by ${printable(decidedBy ?? 'unknown')}: ${status} at ${decidedAt?.toISOString()}`;
    case 'expired':
      return `${approvalId} expired at ${until.toISOString()} without a decision, which counts as denied`;
    case 'ended':
      return `${approvalId} has ended: the investigation ${sessionId} ended, or was cancelled, before a decision`;
  }
}
