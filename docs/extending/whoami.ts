// `whoami`: the name, role and tenant of the caller.

import { command } from '../../cli/commands/command.ts';
import { findRoute } from '../../cli/options/route.ts';
import { CALLER_ROUTES } from '../../shared/api/routes/caller.ts';

/** The command `whoami`. */
export const whoami = command({
  name: 'whoami',
  route: findRoute(CALLER_ROUTES, 'GET /v1/me'),
  print: ({ name, role, tenantId }) => `${name}, ${role} of ${tenantId}`,
});
