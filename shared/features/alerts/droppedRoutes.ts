// The route of dropped alerts, for operators.

import * as z from 'zod';
import { countedPeriod, daysQuery, LAST_ID, ofOperators } from '../../api/http/lastDays.ts';
import { defineRoute } from '../../api/http/route.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import { droppedAlertsSchema, droppedAlertsType } from '../../kits/alerts/droppedAlerts.ts';
import { countDropped } from '../../kits/views/alerts/countDropped.ts';
import { listReadable } from '../../kits/views/readable.ts';

const dropped = defineRoute({
  ...ofOperators,
  path: '/v1/dropped-alerts',
  id: 'listDroppedAlerts',
  summary: 'Alerts that rules of triage.yaml dropped, by day, rule and tenant',
  query: daysQuery,
  answer: z.strictObject({
    alerts: z.array(droppedAlertsSchema.omit({ expireAt: true })),
    unreadable: unreadableSchema,
    now: z.date(),
  }),
  async handle({ query: { days } }, { store, clock }) {
    const now = clock.now();
    const { from, to } = countedPeriod(days, now);
    const idRange = { from, to: `${to}.${LAST_ID}` };
    const found = await listReadable(
      { collection: droppedAlertsType.paths.droppedAlerts, idRange },
      droppedAlertsType,
      store,
    );
    const counted = await Promise.all(found.values.map((dropped) => countDropped(dropped, store)));
    const alerts = counted.map(({ expireAt: _, ...rest }) => rest);
    return { alerts, unreadable: found.unreadable, now };
  },
});

/** The route of dropped alerts. */
export const DROPPED_ALERT_ROUTES = [dropped];
