// `whoami`: the name, role and tenant of the caller.

import { command } from '../../cli/api/command.ts';

/** The command `whoami`. */
export const whoami = command({
  name: 'whoami',
  route: 'GET /v1/me',
  print: ({ name, role, tenantId }) => `${name}, ${role} of ${tenantId}`,
});
