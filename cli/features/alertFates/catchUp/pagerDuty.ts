// PagerDuty: the REST API v2 lists incidents. Not run against PagerDuty.

import * as z from 'zod';
import type { CatchUpSource } from '../../../../shared/config/catchUpFile.ts';
import { parseAs } from '../../../../shared/text/zodIssues.ts';
import type { FiringAlert } from './firingAlert.ts';
import { getJson } from './getJson.ts';

const PAGE = 100;
/** PagerDuty refuses an offset above 10,000. */
const MAX_INCIDENTS = 10_000;

const pageSchema = z.looseObject({
  incidents: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string().optional(),
      created_at: z.iso.datetime({ offset: true }),
    }),
  ),
  more: z.boolean().optional(),
});

/** The incidents that are triggered, as webhooks of version 3 send them. */
export async function listPagerDuty(
  { url, token }: Extract<CatchUpSource, { source: 'pagerduty' }>,
  signal: AbortSignal,
): Promise<FiringAlert[]> {
  const headers = {
    authorization: `Token token=${token}`,
    accept: 'application/vnd.pagerduty+json;version=2',
  };
  const found: FiringAlert[] = [];
  for (let offset = 0; offset < MAX_INCIDENTS; offset += PAGE) {
    const at = new URL(`${url.replace(/\/$/, '')}/incidents`);
    at.search = `${new URLSearchParams({ 'statuses[]': 'triggered', limit: `${PAGE}`, offset: `${offset}` })}`;
    const { incidents, more = false } = parseAs(
      pageSchema,
      await getJson(at, headers, signal),
      `${at.origin}${at.pathname}`,
    );
    for (const { id, title = '', created_at } of incidents.map(keepStable)) {
      const data = incidents.find((one) => one.id === id) ?? {};
      const event = {
        id: `catch-up-${id}`,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: created_at,
        agent: null,
        client: null,
        data: { ...keepStable(data), type: 'incident' },
      };
      found.push({ payload: { event }, startedAt: new Date(created_at), title });
    }
    if (!more) break;
  }
  return found;
}

/** Without the fields that change while an incident stays the same, so that its payload stays the same. */
function keepStable<T extends Record<string, unknown>>(incident: T): T {
  const { last_status_change_at: _, updated_at: _updated, alert_counts: _counts, ...stable } = incident;
  return stable as unknown as T;
}
