// What people do to a session, through the API. Each prints one line.

import type { Approval } from '../../shared/schema/control.ts';
import type { OnUnreadable, Unreadable } from '../../shared/schema/readable.ts';
import { quote } from '../../shared/text/quote.ts';
import { printable } from '../printer.ts';
import { type ApiClient, withDates } from './apiClient.ts';

/** What is printed: fields as JSON, or a line for people. */
interface Said {
  fields: object;
  line: string;
}

/** Cancels a session. */
export async function cancel(api: ApiClient, sessionId: string, reason: string | null): Promise<Said> {
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
): Promise<Said> {
  type Answer = { outcome: string; published?: number; paused?: { by: string; at: string } };
  const fields = await api.post<Answer>(`/v1/sessions/${sessionId}/${verb}`, {});
  const lines: Record<string, string> = {
    paused: 'is paused; iterations that are under way finish',
    already_paused: `was paused before, by ${printable(fields.paused?.by ?? '')} at ${fields.paused?.at}`,
    resumed: `is resumed; ${fields.published} ${fields.published === 1 ? 'agent goes' : 'agents go'} on`,
    not_paused: 'was not paused',
  };
  return {
    fields: { sessionId, ...fields },
    line: `session ${sessionId} ${lines[fields.outcome] ?? fields.outcome}`,
  };
}

/** Starts what was deferred. */
export async function startDeferred(api: ApiClient, sessionId: string): Promise<Said> {
  const fields = await api.post<object>(`/v1/sessions/${sessionId}/start`, {});
  return { fields: { sessionId, ...fields }, line: `session ${sessionId} is started` };
}

/** Tells the agents of a session something. */
export async function tell(api: ApiClient, sessionId: string, text: string): Promise<Said> {
  type Answer = { outcome: string; guidance: { number: number }; isPaused: boolean };
  const { outcome, guidance, isPaused } = await api.post<Answer>(`/v1/sessions/${sessionId}/guidance`, {
    text,
  });
  const when = isPaused ? 'once the session is resumed' : 'when they next ask their model';
  const what = outcome === 'told' ? 'is told' : 'was told the same before';
  return {
    fields: { outcome, isPaused, ...guidance },
    line: `session ${sessionId} ${what}, as guidance ${guidance.number}; its agents read it ${when}`,
  };
}

/** The calls that wait for a decision. */
export async function listApprovals(api: ApiClient, onUnreadable: OnUnreadable): Promise<Approval[]> {
  type Answer = { approvals: Approval[]; unreadable?: Unreadable[] };
  const { approvals, unreadable = [] } = withDates(await api.get('/v1/approvals')) as Answer;
  for (const one of unreadable) onUnreadable(one);
  return approvals;
}

/** Decides about a call. @throws Error when another decision counts. */
export async function decide(
  api: ApiClient,
  approvalId: string,
  { verdict, reason }: { verdict: 'approved' | 'denied'; reason: string | null },
): Promise<Said> {
  const body = { verdict, ...(reason !== null && { reason }) };
  type Answer = { outcome: string; approval: Approval };
  const { outcome, approval } = await api.post<Answer>(`/v1/approvals/${approvalId}`, body);
  const { status, decidedBy, toolName, sessionId } = approval;
  if (outcome !== 'decided' && status !== verdict)
    throw new Error(
      `${approvalId} is ${status} already${decidedBy === null ? '' : `, by ${printable(decidedBy)}`}`,
    );
  return {
    fields: approval,
    line: `${verdict} ${quote(printable(toolName), 200)} in session ${sessionId}, by ${printable(decidedBy ?? '')}`,
  };
}
