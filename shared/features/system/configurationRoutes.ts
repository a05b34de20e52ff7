// The route of the configuration as it is loaded: an allow-list, so that a new setting is not shown by
// itself.

import * as z from 'zod';
import { CHECK_DELIVERIES } from '../../alerts/schema/sessionCheck.ts';
import { listCatalogAgents } from '../../api/http/catalogAgents.ts';
import { defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { agentRole } from '../../core/schema/agent.ts';
import { modelLabel, modelOutageType } from '../../kits/agents/modelOutage.ts';
import { modelUseSchema, readModelUse, readServerUse, serverUseSchema } from '../../kits/quotas/quotaUse.ts';
import { listReadable } from '../../kits/views/readable.ts';

const limit = z.int().nullable().describe('Null: no limit');

/** The configuration as it is loaded, with the use of its limits. */
const configurationSchema = z.strictObject({
  version: z.string().describe('Of Inquest'),
  servers: z.array(
    z.strictObject({
      name: z.string(),
      transport: z.enum(['stdio', 'http', 'recorded']).nullable(),
      instances: z.array(z.string()),
      limits: z.strictObject({ concurrency: limit, perMinute: limit, bytesPerHour: limit }),
      use: serverUseSchema,
    }),
  ),
  models: z.array(
    z.strictObject({
      name: z.string(),
      provider: z.string(),
      model: z.string(),
      isDefault: z.boolean(),
      limits: z.strictObject({ rpm: limit, tpm: limit }),
      use: modelUseSchema.nullable().describe('Of the current minute; null without limits'),
      outage: z
        .strictObject({ since: z.date(), answeredAt: z.date().nullable() })
        .nullable()
        .describe('The last outage for which agents waited long; `answeredAt` is null while it lasts'),
    }),
  ),
  chains: z.array(
    z.strictObject({
      name: z.string(),
      isDefault: z.boolean(),
      stages: z.array(z.strictObject({ name: z.string(), agents: z.array(z.string()) })),
      alertRules: z.int().describe('Rules that lead alerts to it'),
      deadlineMs: z.int().describe('Time limit of a session'),
      sessionsPerHour: z.array(z.int()).describe('Each limit of sessions that alerts open within an hour'),
    }),
  ),
  agents: z.int().describe('Agents of the files'),
  destinations: z.array(z.strictObject({ name: z.string(), kind: z.string() })),
  webhooks: z.array(z.string()).describe('Sources that can send webhooks'),
  schedules: z.array(
    z.strictObject({ name: z.string(), cron: z.string(), onlyIf: z.enum(CHECK_DELIVERIES) }),
  ),
  triage: z.array(z.strictObject({ rule: z.string(), action: z.enum(['investigate', 'record', 'drop']) })),
  runbooks: z.int().describe('Runbooks of the files'),
  skills: z.int(),
  retentionMs: z.int().describe('Milliseconds until a session is deleted'),
  now: z.date(),
});
type Configuration = z.infer<typeof configurationSchema>;

/** The route of the configuration. */
export const configuration = defineRoute({
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
    const { catalog } = listCatalogAgents(deps);
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
  const { values } = await listReadable(
    { collection: modelOutageType.paths.modelOutages },
    modelOutageType,
    deps.store,
  );
  const outages = new Map(values.map(({ model, since, answeredAt }) => [model, { since, answeredAt }]));
  return Promise.all(
    models.map(async ({ name, provider, model, isDefault, limits }) => ({
      name,
      provider,
      model,
      isDefault,
      limits: { rpm: limits.rpm ?? null, tpm: limits.tpm ?? null },
      use: await readModelUse({ provider, model }, limits, deps),
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
      agents: [...new Set([...stage.agents, ...(stage.synthesis ? [stage.synthesis] : [])].map(agentRole))],
    })),
    alertRules: config.alertRules[name]?.length ?? 0,
    deadlineMs: config.sessionDeadlineMs(name),
    sessionsPerHour: config.budgets(name).sessionsPerHour.map(({ limit }) => limit),
  };
}

/** A copy without secrets in its texts: someone can write one where a name belongs. Times stay. */
export function masked<T>(value: T, deps: Pick<RequestDeps, 'agentMasker'>): T {
  const walk = (current: unknown): unknown => {
    if (typeof current === 'string') return deps.agentMasker.mask(current).text;
    if (Array.isArray(current)) return current.map(walk);
    if (typeof current !== 'object' || current === null || current instanceof Date) return current;
    return Object.fromEntries(Object.entries(current).map(([name, one]) => [name, walk(one)]));
  };
  return walk(value) as T;
}
