// The caller as the API identified it, for clients that show only permitted actions.

import * as z from 'zod';
import { defineRoute } from '../../api/http/route.ts';
import { SWITCHABLE } from '../../contract/switches.ts';
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
    /** The features that the installation has turned off. */
    off: z.array(z.enum(SWITCHABLE)),
  }),
  handle: async ({ caller: { name, role, tenantId } }, { clock, config }) => ({
    name,
    role,
    tenantId,
    now: clock.now(),
    off: [...(config.off ?? [])],
  }),
});

/** The route about the caller. */
export const CALLER_ROUTES = [get];
