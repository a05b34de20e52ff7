// Routes about the parts of the installation: tool servers as stored calls know them, and the configuration as it is loaded.
// No route starts or asks a server.

import type * as z from 'zod';
import { listServerUsers } from '../../runtime/agents/describeAgents.ts';
import { modelLabel } from '../../runtime/features/modelOutages/fallback.ts';
import { readModelUse, readServerUse } from '../../runtime/features/quotas/quotaUse.ts';
import { readRecentActivity } from '../../runtime/views/activity/recentActivity.ts';
import { listReadable } from '../../runtime/views/readable.ts';
import { roleOf } from '../../schema/agent.ts';
import { modelOutageType, paths } from '../../schema/documents.ts';
import { defineRoute, type RequestDeps } from '../http/route.ts';
import { activitySchema, configurationSchema } from '../http/systemSchema.ts';
import { agentsOf } from './agents.ts';

type Activity = z.infer<typeof activitySchema>;
type Configuration = z.infer<typeof configurationSchema>;

const activity = defineRoute({
  method: 'get',
  path: '/v1/system/activity',
  id: 'getSystemActivity',
  summary: 'The tool servers of the agents with their last answers, and questions of agents that wait',
  description:
    'From stored calls of the 20 newest sessions of the tenant: no server is asked. Contains no connection settings of servers and no environment variables.',
  role: 'viewer',
  status: 200,
  answer: activitySchema,
  problems: ['NOT_FOUND'],
  async handle({ caller }, deps): Promise<Activity> {
    const { catalog } = agentsOf(deps);
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

const configuration = defineRoute({
  method: 'get',
  path: '/v1/system/configuration',
  id: 'getConfiguration',
  summary: 'The configuration as it is loaded, with the use of its limits and the outages of its models',
  description:
    'Contains no address, command, header, environment variable, price or instruction. For operators.',
  role: 'admin',
  isForOperators: true,
  status: 200,
  answer: configurationSchema,
  problems: ['NOT_FOUND'],
  async handle(_, deps): Promise<Configuration> {
    const { config, clock, version } = deps;
    const { catalog } = agentsOf(deps);
    const [servers, models] = await Promise.all([readServers(deps), readModels(deps)]);
    const answer = {
      version,
      servers,
      models,
      chains: Object.values(config.chains).map((chain) => chainOf(chain, deps)),
      agents: catalog.names.length,
      destinations: (config.overview?.destinations ?? []).map(({ name, kind }) => ({ name, kind })),
      webhooks: Object.keys(config.webhooks ?? {}),
      schedules: Object.entries(config.schedules ?? {}).map(([name, { cron, onlyIf }]) => ({
        name,
        cron,
        onlyIf,
      })),
      triage: (config.triage?.rules ?? []).map(({ name, action }) => ({ rule: name, action })),
      runbooks: config.runbooks.files.size,
      skills: config.skills?.length ?? 0,
      retentionMs: config.retentionMs,
    };
    return { ...masked(answer, deps), now: clock.now() };
  },
});

async function readServers(deps: RequestDeps): Promise<Configuration['servers']> {
  const servers = deps.config.overview?.servers ?? [];
  return Promise.all(
    servers.map(async ({ name, transport, instances, limits }) => ({
      name,
      transport,
      instances,
      limits: {
        concurrency: limits.concurrency ?? null,
        perMinute: limits.perMinute ?? null,
        bytesPerHour: limits.bytesPerHour ?? null,
      },
      use: await readServerUse(name, limits, deps),
    })),
  );
}

async function readModels(deps: RequestDeps): Promise<Configuration['models']> {
  const models = deps.config.overview?.models ?? [];
  const { values } = await listReadable({ collection: paths.modelOutages }, modelOutageType, deps.store);
  const outages = new Map(values.map(({ model, since, answeredAt }) => [model, { since, answeredAt }]));
  return Promise.all(
    models.map(async ({ name, provider, model, isDefault, limits: { rpm = null, tpm = null } }) => ({
      name,
      provider,
      model,
      isDefault,
      limits: { rpm, tpm },
      use: rpm === null && tpm === null ? null : await readModelUse({ provider, model }, deps),
      outage: outages.get(modelLabel({ provider, model })) ?? null,
    })),
  );
}

function chainOf(
  { name, stages }: RequestDeps['config']['chains'][string],
  { config }: Pick<RequestDeps, 'config'>,
): Configuration['chains'][number] {
  return {
    name,
    isDefault: name === config.defaultChain,
    stages: stages.map((stage) => ({
      name: stage.name,
      agents: [...new Set([...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])].map(roleOf))],
    })),
    alertRules: config.alertRules[name]?.length ?? 0,
    deadlineMs: config.sessionDeadlineMs(name),
    sessionsPerHour: config.budgets(name).sessionsPerHour.map(({ limit }) => limit),
  };
}

/** A copy without secrets in its texts: someone can write one where a name belongs. Times stay. */
function masked<T>(value: T, deps: Pick<RequestDeps, 'agentMasker'>): T {
  const walk = (current: unknown): unknown => {
    if (typeof current === 'string') return deps.agentMasker.mask(current).text;
    if (Array.isArray(current)) return current.map(walk);
    if (typeof current !== 'object' || current === null || current instanceof Date) return current;
    return Object.fromEntries(Object.entries(current).map(([name, one]) => [name, walk(one)]));
  };
  return walk(value) as T;
}

/** All routes about the parts of the installation. */
export const SYSTEM_PART_ROUTES = [activity, configuration];
