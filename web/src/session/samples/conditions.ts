// The conditions of a session's alert: in addresses, else in its body, read once.

import { type Signal, signal } from '@preact/signals';
import { type Condition, parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';

/** By the id of the session. */
const known = new Map<string, Signal<readonly Condition[]>>();

/** The conditions; none until read, or for an unreadable alert. */
export function alertConditions(
  sessionId: string,
  alert: SessionView['alert'],
): Signal<readonly Condition[]> {
  const found = known.get(sessionId);
  if (found !== undefined) return found;
  const urls = [alert?.url ?? '', ...(alert?.links ?? []).map(({ url }) => url)];
  const conditions = signal<readonly Condition[]>(parseStatedConditions({ urls, text: '' }));
  known.set(sessionId, conditions);
  if (alert !== null && conditions.peek().length === 0)
    api.get('/v1/sessions/{sessionId}/alert', { sessionId, part: 1 }).then(
      ({ body }) => (conditions.value = parseStatedConditions({ urls, text: body })),
      // The next session page reads it again; without it a chart has no threshold.
      () => known.delete(sessionId),
    );
  return conditions;
}
