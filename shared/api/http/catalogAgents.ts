// The agents of the configuration, for routes.

import { Problem } from './problem.ts';
import type { RequestDeps } from './route.ts';

/** The agents of the configuration. @throws Problem `NOT_FOUND` where only chains are configured. */
export function listCatalogAgents({ config: { agents: catalog, chains } }: Pick<RequestDeps, 'config'>) {
  if (catalog === undefined) throw new Problem('NOT_FOUND', 'no agents are configured');
  return { catalog, chains };
}
