// The alert of a session as it came.

import * as z from 'zod';
import { readAlert } from '../../runtime/views/alertView.ts';
import { alertSchema } from '../../schema/session.ts';
import { Problem } from '../problem.ts';
import { type AnyRoute, defineRoute } from '../route.ts';
import { sessionParams, unreadableSchema } from '../schemas.ts';

const getAlert = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/alert',
  id: 'getAlert',
  summary: 'The alert of a session: as read, as shown to agents, and as received, with secrets masked',
  role: 'viewer',
  params: sessionParams,
  query: z.strictObject({
    part: z.coerce.number().int().min(1).max(10).default(1).describe('Of the body; parts have 600 kB'),
  }),
  status: 200,
  answer: z.strictObject({
    alert: alertSchema,
    promptText: z.string().describe('What agents are shown, cut at a limit'),
    body: z.string().describe('Base64 as what it says'),
    part: z.int(),
    parts: z.int(),
    unreadable: unreadableSchema,
  }),
  problems: ['NOT_FOUND'],
  async handle({ params: { sessionId }, query: { part } }, { store }) {
    const found = await readAlert(sessionId, part, store);
    if (found !== undefined) return found;
    throw new Problem('NOT_FOUND', `there is no session ${sessionId} with an alert of ${part} parts`);
  },
});

/** The route of a session's alert. */
export const SESSION_ALERT_ROUTES: AnyRoute[] = [getAlert];
