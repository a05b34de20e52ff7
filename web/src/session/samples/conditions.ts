// The conditions of a session's alert: in addresses, else in its body, read once.

import { type Signal, signal } from '@preact/signals';
import type { AlertOriginal, SessionView } from '../../../../shared/api/types.ts';
import { type Condition, parseStatedConditions } from '../../../../shared/evidence/condition.ts';
import { getJson } from '../../api/client.ts';

/** By the path of the session. */
const known = new Map<string, Signal<readonly Condition[]>>();

/** The conditions; none until read, or for an unreadable alert. @param path Of the session. */
export function alertConditions(path: string, alert: SessionView['alert']): Signal<readonly Condition[]> {
  const found = known.get(path);
  if (found !== undefined) return found;
  const urls = [alert?.url ?? '', ...(alert?.links ?? []).map(({ url }) => url)];
  const conditions = signal<readonly Condition[]>(parseStatedConditions({ urls, text: '' }));
  known.set(path, conditions);
  if (alert !== null && conditions.peek().length === 0)
    getJson<AlertOriginal>(`${path}/alert?part=1`).then(
      ({ body }) => (conditions.value = parseStatedConditions({ urls, text: body })),
      // The next session page reads it again; without it a chart has no threshold.
      () => known.delete(path),
    );
  return conditions;
}
