// The shell command that calls Inquest for a tenant.

import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';

/** The variable with the default of `--tenant`. */
export const TENANT_VARIABLE = 'INQUEST_TENANT';

/** The prefix of commands for a tenant. */
export function commandFor(tenant: string): () => string {
  const command = 'npx --no inquest';
  return () => (tenant === DEFAULT_TENANT ? command : `${TENANT_VARIABLE}=${tenant} ${command}`);
}
