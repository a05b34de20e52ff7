// The caller as the API identified it, for clients that show only permitted actions.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { API_ROLES } from '../../schema/apiRole.ts';

const get = defineRoute({
  method: 'get',
  path: '/v1/me',
  id: 'getCaller',
  summary: 'The caller, with its role and tenant',
  role: 'viewer',
  status: 200,
  answer: z.strictObject({
    name: z.string(),
    role: z.enum(API_ROLES),
    tenantId: z.string(),
    now: z.date(),
  }),
  handle: async ({ caller: { name, role, tenantId } }, { clock }) => ({
    name,
    role,
    tenantId,
    now: clock.now(),
  }),
});

/** The route about the caller. */
export const CALLER_ROUTES = [get];
