// The route of dropped alerts, for operators.

import * as z from 'zod';
import { daysQuery, findFirstDay, ofOperators } from '../../api/http/lastDays.ts';
import { defineRoute } from '../../api/http/route.ts';
import { pageQuery } from '../../api/http/schemas.ts';
import { unreadableSchema } from '../../core/schema/readable.ts';
import {
  type DroppedAlerts,
  droppedAlertsSchema,
  droppedAlertsType,
} from '../../kits/alerts/droppedAlerts.ts';
import { countDropped } from '../../kits/views/alerts/countDropped.ts';
import { nextSchema, readPage } from '../../kits/views/readPage.ts';

const dropped = defineRoute({
  ...ofOperators,
  path: '/v1/dropped-alerts',
  id: 'listDroppedAlerts',
  summary: 'Alerts that rules of triage.yaml dropped, by day, rule and tenant',
  query: daysQuery.extend(pageQuery()),
  answer: z.strictObject({
    alerts: z.array(droppedAlertsSchema.omit({ expireAt: true })),
    unreadable: unreadableSchema,
    next: nextSchema,
    now: z.date(),
  }),
  async handle({ query: { days, ...query } }, { store, clock }) {
    const now = clock.now();
    const collection = droppedAlertsType.paths.droppedAlerts;
    const show = (_: string, dropped: DroppedAlerts) => dropped;
    const from = findFirstDay(days, now);
    const { items, ...page } = await readPage(
      { collection, type: droppedAlertsType, from, ...query, show },
      store,
    );
    const counted = await Promise.all(items.map((dropped) => countDropped(dropped, store)));
    const alerts = counted.map(({ expireAt: _, ...rest }) => rest);
    return { alerts, ...page, now };
  },
});

/** The route of dropped alerts. */
export const DROPPED_ALERT_ROUTES = [dropped];
