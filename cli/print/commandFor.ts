// The command that a person types for a tenant.

import { DEFAULT_TENANT } from '../../shared/schema/session.ts';

/** The variable that names the tenant where the option does not. */
export const TENANT_VARIABLE = 'INQUEST_TENANT';

/** What stands before a command in a shell so that it works for a tenant. */
export function commandFor(tenant: string): () => string {
  const command = 'npx --no inquest';
  return () => (tenant === DEFAULT_TENANT ? command : `${TENANT_VARIABLE}=${tenant} ${command}`);
}
