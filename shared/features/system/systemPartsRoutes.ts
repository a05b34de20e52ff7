// Routes about the parts of the installation: tool servers as stored calls know them, and the configuration
// as it is loaded. No route starts or asks a server.

import * as z from 'zod';
import { listCatalogAgents } from '../../api/http/catalogAgents.ts';
import { defineRoute } from '../../api/http/route.ts';
import { listServerUsers } from '../../kits/agents/describeAgents.ts';
import { configuration, masked } from './configurationRoutes.ts';
import { readRecentActivity, systemActivitySchema } from './recentActivity.ts';

const activity = defineRoute({
  method: 'get',
  path: '/v1/system/activity',
  id: 'getSystemActivity',
  summary: 'The tool servers of the agents with their last answers, and questions of agents that wait',
  description:
    'From stored calls of the 20 newest sessions of the tenant: no server is asked. Contains no connection settings of servers and no environment variables.',
  role: 'viewer',
  status: 200,
  answer: systemActivitySchema.extend({ now: z.date() }),
  problems: ['NOT_FOUND'],
  async handle({ caller }, deps) {
    const { catalog } = listCatalogAgents(deps);
    const [users, { servers: states, ...recent }] = await Promise.all([
      listServerUsers(catalog, deps.store),
      readRecentActivity(caller.tenantId, deps.documents),
    ]);
    const servers = [...users].sort().flatMap(([name, agents]) =>
      catalog.toolRules([name]).map(({ access, readOnly, trustHints, approvals }) => ({
        name,
        agents,
        access,
        readOnly,
        trustHints,
        approvals,
        ...(states.get(name) ?? { lastAnswer: null, tools: [], listedAt: null }),
      })),
    );
    return { ...masked({ servers, ...recent }, deps), now: deps.clock.now() };
  },
});

/** All routes about the parts of the installation. */
export const SYSTEM_PART_ROUTES = [activity, configuration];
