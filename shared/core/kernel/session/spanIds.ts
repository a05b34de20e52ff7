// The ids of traces and spans, derived from ids of documents: every process finds the same.

import { hash } from 'node:crypto';

/** The things that spans are about. */
type SpanSubject = 'session' | 'stage' | 'agent' | 'attempt' | 'tool' | 'child' | 'mcp';

const digest = (parts: readonly (string | number)[]): string => hash('sha256', JSON.stringify(parts), 'hex');

/** The trace of a session: 32 hexadecimal digits. */
export const deriveTraceId = (sessionId: string): string => digest(['trace', sessionId]).slice(0, 32);

/** The id of a span: 16 hexadecimal digits. @param keys identify its subject in the session. */
export const deriveSpanId = (sessionId: string, subject: SpanSubject, ...keys: (string | number)[]): string =>
  digest([subject, sessionId, ...keys]).slice(0, 16);

/** The W3C trace context for a server's tool call. @param resultEvent number of its result. */
export function traceparentOfCall(
  { sessionId, executionId }: { sessionId: string; executionId: string },
  resultEvent: number,
  isSampled: boolean,
): string {
  const spanId = deriveSpanId(sessionId, 'mcp', executionId, resultEvent);
  return `00-${deriveTraceId(sessionId)}-${spanId}-${isSampled ? '01' : '00'}`;
}
