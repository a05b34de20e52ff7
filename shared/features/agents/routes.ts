// Routes of agents: the effective agents, and changes to those in the store.

import * as z from 'zod';
import { listCatalogAgents } from '../../api/http/catalogAgents.ts';
import { Problem } from '../../api/http/problem.ts';
import { defineRoute, type RequestDeps } from '../../api/http/route.ts';
import { EVENT_ID, pageQuery, sessionParams } from '../../api/http/schemas.ts';
import { InquestError } from '../../core/errors.ts';
import { type PlannedAgent, plannedAgentSchema } from '../../core/schema/agent.ts';
import { nameSchema } from '../../core/schema/common.ts';
import {
  agentTextSchema,
  type DescribedAgent,
  describeAgent,
  type ListedAgent,
  listAgents,
  listedAgentSchema,
} from '../../kits/agents/describeAgents.ts';
import { checkAgent, pushAgent, removeAgent } from '../../kits/agents/editAgents.ts';
import { createStoredAgents } from '../../kits/agents/storedAgents.ts';
import { AGENT_PARTS, readUsedAgent } from '../../kits/agents/usedAgent.ts';
import { nextSchema } from '../../kits/views/readPage.ts';

const settingsSchema = plannedAgentSchema
  .pick({
    instructions: true,
    outputSchema: true,
    resources: true,
    fallback: true,
    asks: true,
    nativeTools: true,
    combineNativeTools: true,
    outsideTools: true,
    limits: true,
  })
  .extend({ model: plannedAgentSchema.shape.model.omit({ prices: true }) })
  .extend({ fallback: z.array(plannedAgentSchema.shape.model.omit({ prices: true })) });

const describedSchema = z.strictObject({
  ...listedAgentSchema.shape,
  settings: settingsSchema.nullable().describe('Null if it cannot be used'),
  ...agentTextSchema.shape,
});

const params = z.strictObject({ name: nameSchema });
const ofOperators = { method: 'post', role: 'admin', isForOperators: true, status: 200 } as const;

const list = defineRoute({
  method: 'get',
  path: '/v1/agents',
  id: 'listAgents',
  summary: 'Lists the agents of the configuration and of the store',
  role: 'viewer',
  query: z.strictObject(pageQuery({ cursor: nameSchema })),
  status: 200,
  answer: z.strictObject({ agents: z.array(listedAgentSchema), next: nextSchema, now: z.date() }),
  async handle({ query }, deps) {
    const { agents, next } = await listAgents(listCatalogAgents(deps), query, deps.store);
    return { agents: agents.map((agent) => shownRow(agent, deps)), next, now: deps.clock.now() };
  },
});

const get = defineRoute({
  method: 'get',
  path: '/v1/agents/{name}',
  id: 'getAgent',
  summary: 'An agent with its instructions, model, limits and tools',
  description: 'Contains no connection settings of servers and no environment variables.',
  role: 'viewer',
  params,
  query: z.strictObject({
    structured: z
      .enum(['true', 'false'])
      .default('false')
      .describe('`true`: as if structured output was requested'),
  }),
  status: 200,
  answer: describedSchema,
  problems: ['NOT_FOUND'],
  async handle({ params: { name }, query: { structured } }, deps) {
    const request = structured === 'true' ? { structuredOutput: true } : {};
    const found = await describeAgent(name, listCatalogAgents(deps), deps.store, request);
    if (found === undefined) throw noAgent(name);
    return shownAgent(found, deps);
  },
});

const getUsed = defineRoute({
  method: 'get',
  path: '/v1/sessions/{sessionId}/executions/{executionId}/agent',
  id: 'getUsedAgent',
  summary:
    'The agent of an execution as it was configured then, and differences to the current configuration',
  role: 'viewer',
  params: sessionParams.extend({ executionId: z.string().regex(EVENT_ID) }),
  status: 200,
  answer: z.strictObject({
    name: z.string(),
    role: z.string().describe('Its name in the configuration: replicas of an agent share one'),
    strategy: z.string(),
    tools: z.array(z.string()),
    settings: settingsSchema,
    at: z.date().describe('When the execution was created'),
    differs: z
      .array(z.enum(AGENT_PARTS))
      .nullable()
      .describe(
        'Parts that are different in the current configuration; null if the agent is no longer configured',
      ),
    now: z.date(),
  }),
  problems: ['NOT_FOUND'],
  async handle({ params }, deps) {
    const mask = (text: string) => deps.agentMasker.mask(text).text;
    const storedAgents = createStoredAgents(deps);
    const used = await readUsedAgent(params, deps.config, { ...deps, storedAgents, mask });
    if (used === undefined)
      throw new Problem('NOT_FOUND', `session ${params.sessionId} has no execution ${params.executionId}`);
    const { agent, role, at, differs } = used;
    const { name, strategy, tools } = agent;
    return {
      name,
      role,
      strategy,
      tools,
      settings: describeAgentSettings(agent, deps),
      at,
      differs,
      now: deps.clock.now(),
    };
  },
});

const put = defineRoute({
  ...ofOperators,
  path: '/v1/agents/{name}',
  id: 'putAgent',
  summary: 'Stores an agent, which replaces the one of the same name in the files',
  description:
    'Sessions that are opened from now on use it; an instance that has cached the previous version uses that for up to 300 s. The checks are those of `agents push`: `errors` has a line for each fault.',
  params,
  body: z.strictObject({
    yaml: z.string().min(1).describe('As agents/NAME.yaml'),
    file: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('The file in the lines about faults; default: its name'),
    checkOnly: z.boolean().default(false).describe('Whether it is only checked, not stored'),
  }),
  answer: z.strictObject({
    outcome: z.enum(['created', 'changed', 'unchanged', 'checked']),
    remarks: z.array(z.string()).describe('Settings without effect'),
  }),
  async handle({ params: { name }, body: { yaml, file, checkOnly }, caller }, deps) {
    const checks = { catalog: listCatalogAgents(deps).catalog, masker: deps.agentMasker };
    const text = { name, yaml, ...(file !== undefined && { file }) };
    if (checkOnly) return { outcome: 'checked' as const, remarks: checkedRemarks(text, checks) };
    const options = { by: caller.name, ...checks };
    const { edit, remarks } = await pushAgent(text, options, deps).catch(asProblem);
    deps.storedAgents?.clear(name);
    return { outcome: edit, remarks };
  },
});

const remove = defineRoute({
  ...ofOperators,
  path: '/v1/agents/{name}/remove',
  id: 'removeAgent',
  summary: 'Removes an agent from the store, so that the files apply again',
  params,
  body: z.strictObject({}).optional(),
  answer: z.strictObject({ outcome: z.literal('removed') }),
  problems: ['NOT_FOUND'],
  async handle({ params: { name }, caller }, deps) {
    if (!(await removeAgent(name, caller.name, deps)))
      throw new Problem('NOT_FOUND', `the store has no agent ${name}; GET /v1/agents lists the agents`);
    deps.storedAgents?.clear(name);
    return { outcome: 'removed' as const };
  },
});

const clearCache = defineRoute({
  ...ofOperators,
  path: '/v1/agent-cache/clear',
  id: 'clearAgentCache',
  summary: 'Clears the cache of stored agents in this instance: one agent, or all without a name',
  description: 'Other instances see an edit within 300 s.',
  body: z.strictObject({ name: nameSchema.optional() }).optional(),
  answer: z.strictObject({ cleared: z.int().describe('How many agents it had cached') }),
  async handle({ body }, { storedAgents }) {
    return { cleared: storedAgents?.clear(body?.name) ?? 0 };
  },
});

function shownRow<T extends ListedAgent>(agent: T, { agentMasker }: RequestDeps): T {
  const shown = (text: string) => agentMasker.mask(text).text;
  const { description, fault } = agent;
  return { ...agent, description: shown(description), fault: fault === null ? null : shown(fault) };
}

function shownAgent({ agent, yaml, tools, ...row }: DescribedAgent, deps: RequestDeps) {
  const shown = (text: string) => deps.agentMasker.mask(text).text;
  return {
    ...shownRow(row, deps),
    yaml: shown(yaml),
    tools,
    settings: agent && describeAgentSettings(agent, deps),
  };
}

function describeAgentSettings(agent: PlannedAgent, deps: RequestDeps): z.infer<typeof settingsSchema> {
  const shown = (text: string) => deps.agentMasker.mask(text).text;
  return {
    instructions: shown(agent.instructions),
    ...(agent.outputSchema !== undefined && { outputSchema: shown(agent.outputSchema) }),
    ...(agent.resources !== undefined && { resources: agent.resources }),
    ...(agent.asks !== undefined && { asks: agent.asks }),
    model: withoutPrices(agent.model),
    fallback: agent.fallback.map(withoutPrices),
    nativeTools: agent.nativeTools,
    combineNativeTools: agent.combineNativeTools,
    outsideTools: agent.outsideTools,
    limits: agent.limits,
  };
}

type Model = NonNullable<DescribedAgent['agent']>['model'];

function withoutPrices({ prices: _, ...model }: Model): Omit<Model, 'prices'> {
  return model;
}

/** Throws faults of an agent as a Problem with one entry each, as `agents push` prints; rethrows others. */
function asProblem(error: unknown): never {
  const isFault = error instanceof InquestError && error.code.startsWith('CONFIG_');
  if (!isFault) throw error;
  const errors = error.message.split('\n').map((message) => ({ field: 'body.yaml', message }));
  throw new Problem('REQUEST_INVALID', `body.yaml: ${errors[0]?.message ?? error.message}`, {
    errors: errors.slice(0, 20),
  });
}

function checkedRemarks(...checked: Parameters<typeof checkAgent>): string[] {
  try {
    return checkAgent(...checked).remarks;
  } catch (error) {
    return asProblem(error);
  }
}

function noAgent(name: string): Problem {
  return new Problem('NOT_FOUND', `there is no agent ${name}; GET /v1/agents lists the agents`);
}

/** All routes for agents. */
export const AGENT_ROUTES = [list, get, getUsed, put, remove, clearCache];
