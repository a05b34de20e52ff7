// The schemas of the configuration files, but for chains (chainsFile.ts) and masking (masking.ts).

import path from 'node:path';
import * as z from 'zod';
import { MAX_ITERATION, MAX_STORED_TEXT } from '../agents/limits.ts';
import { AGENT_DEFAULTS } from '../agents/planAgent.ts';
import { FIELD_LISTS, SERVICE_MAP } from '../contract/mcpServer.ts';
import { isNative, NATIVE_PROVIDER } from '../core/contract/modelFacts.ts';
import { STRATEGIES } from '../core/controllers/abilities.ts';
import { type ModelSettings, modelSchema, NATIVE_TOOLS } from '../core/schema/agent.ts';
import { YIELDS } from '../core/schema/block.ts';
import { nameSchema } from '../core/schema/common.ts';
import { modelPriceSchema } from '../core/schema/cost.ts';
import { asObject } from '../text/json.ts';
import { matchesAny } from '../text/pattern.ts';
import { labelConditions } from './alertRules.ts';
import { budgetRulesField } from './budgets.ts';
import {
  duration,
  eachOnce,
  expandedText,
  fallbackModels,
  type KnownNames,
  referenceTo,
  shownSize,
  size,
  strictMapping,
  toolReference,
} from './fields.ts';
import { budgetFields, limitFields, modelQuotaField, serverQuotaField, sessionTime } from './limitFields.ts';
import { runbookHosts } from './runbookFields.ts';
import { boundText, mcpServerConfigSchema, toolPattern } from './serverConfig.ts';
import { tierField } from './serviceTiers.ts';
import { switchesField } from './switches.ts';
import { NO_CONNECTION } from './unreachableServers.ts';

/** The session document holds this text, the chain, the alert and the analysis. */
const MAX_ALERT_PROMPT = '128KB';
/** So does it hold this one. */
const MAX_RUNBOOK = '64KB';
/** A function holds an answer in memory several times; it has 512 MB unless deployed with more. */
const MAX_ANSWER = '64MB';

/** The longest time that a model is expected to think. */
const LONGEST_THOUGHT_MS = 20 * 60_000;

const modelNameSchema = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/,
    'must start with a letter and hold only letters, digits, "_", "-" and "."',
  );

/** models.yaml. `models` are the names it defines itself. */
export const modelsFileSchema = (models: KnownNames, providers: KnownNames) =>
  strictMapping({
    default: referenceTo('model', models),
    models: z.record(
      modelNameSchema,
      strictMapping({
        ...modelSchema.omit({ answerBytes: true, prices: true, temperature: true, orphanWaitMs: true }).shape,
        provider: referenceTo('provider', providers),
        includeThoughts: modelSchema.shape.includeThoughts.default(true),
        answerLimit: size(MAX_ANSWER).optional(),
        limits: modelQuotaField,
        orphanWait: duration('24h').optional(),
      }).superRefine(({ provider, serviceTier, api, wait, orphanWait }, context) => {
        const refuse = (field: string, message: string) =>
          context.addIssue({ code: 'custom', path: [field], message });
        if (wait === 'background' && api !== 'interactions')
          refuse('wait', 'needs `api: interactions`; add it, or remove this');
        if (orphanWait !== undefined && wait !== 'background')
          refuse('orphanWait', 'needs `wait: background`; add it, or remove this');
        if (orphanWait !== undefined && orphanWait < LONGEST_THOUGHT_MS)
          refuse(
            'orphanWait',
            'must be at least 20m: a question whose model still thinks would be asked, and paid, twice',
          );
        if (isNative(provider)) return;
        for (const [field, value] of Object.entries({ serviceTier, api }))
          if (value !== undefined) refuse(field, `needs provider ${NATIVE_PROVIDER}; remove it`);
      }),
    ),
  });

/** prices.yaml: by the provider's id of a model, as models.yaml has it under `model`. */
export const pricesFileSchema = strictMapping({
  models: z
    .record(
      z.string().min(1),
      z.array(strictMapping(modelPriceSchema.shape)).min(1).max(20).superRefine(eachDayOnce),
    )
    .optional(),
});

function eachDayOnce(prices: { from: string }[], context: z.RefinementCtx): void {
  for (const [index, { from }] of prices.entries()) {
    if (prices.findIndex((price) => price.from === from) === index) continue;
    context.addIssue({ code: 'custom', path: [index, 'from'], message: `${from} has a price already` });
  }
}

const nativeToolsSchema = z.array(z.enum(NATIVE_TOOLS)).superRefine(eachOnce);

/** Maximum number of tools and servers that an agent can list. */
export const MAX_TOOLS = 100;

/** Maximum number of skills of an agent. Their descriptions are part of its requests. */
const MAX_AGENT_SKILLS = 50;

/** A system prompt. */
export const instructionsText = z.string().trim().min(1).max(50_000);

/** Fields that both notations of an agent share. */
export const agentFields = (models: KnownNames, skills: KnownNames) => ({
  description: z.string().max(1000).optional(),
  strategy: z.enum(STRATEGIES).default(AGENT_DEFAULTS.strategy),
  model: referenceTo('model', models).optional(),
  fallback: fallbackModels(models).default([]),
  nativeTools: nativeToolsSchema.default([]),
  combineNativeTools: z.boolean().default(AGENT_DEFAULTS.combineNativeTools),
  outsideTools: z.enum(['apart', 'together']).default(AGENT_DEFAULTS.outsideTools),
  skills: z.array(referenceTo('skill', skills)).max(MAX_AGENT_SKILLS).superRefine(eachOnce).optional(),
  serviceTier: tierField,
  ...limitFields,
});

/** Maximum number of agents that one agent can ask. Their descriptions are part of its requests. */
const MAX_ASKS = 20;

/** The agents that an agent can ask with `ask_agent`. The store can have agents without a file. */
export const askField = () => z.array(nameSchema).min(1).max(MAX_ASKS).superRefine(eachOnce);

/** agents.yaml. `ownSources` are tool sources that servers.yaml does not define. */
export const agentsFileSchema = (
  models: KnownNames,
  servers: KnownNames,
  ownSources: readonly string[],
  skills: KnownNames,
) => {
  // The order is that of error messages.
  const { description, strategy, model, fallback, ...rest } = agentFields(models, skills);
  return strictMapping({
    agents: z.record(
      nameSchema,
      strictMapping({
        description,
        strategy,
        model,
        fallback,
        instructions: instructionsText,
        tools: z.array(toolReference(servers, ownSources)).max(MAX_TOOLS).default([]),
        asks: askField().optional(),
        ...rest,
      }),
    ),
  });
};

/** An entry of a server's `tools`: settings of the tools that match a pattern. */
const toolEntry = strictMapping({
  costs: z.literal(true).optional(),
  approval: z.enum(['required', 'none']).optional(),
  idempotent: z.literal('key').optional(),
  probe: strictMapping({
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.string()).optional(),
    happened: z.string().min(1),
    didNotHappen: z.string().min(1),
  }).optional(),
});

type ToolEntries = Record<string, z.output<typeof toolEntry>>;

/** Adds a fault for each setting that would have no effect, or cannot be enforced. */
function checkAccess(
  server: {
    access?: string | undefined;
    readOnly?: string[] | undefined;
    trustHints?: boolean | undefined;
    tools?: ToolEntries | undefined;
    arguments?: Record<string, string> | undefined;
    scope?: { keys?: string[] | undefined } | undefined;
  },
  context: z.RefinementCtx,
): void {
  for (const key of server.scope?.keys ?? [])
    if (server.arguments !== undefined && Object.hasOwn(server.arguments, key))
      context.addIssue({
        code: 'custom',
        path: ['arguments', key],
        message: 'is already bound by scope; remove it from one of the two',
      });
  const { access = 'read', readOnly = [], trustHints = false, tools = {} } = server;
  const add = (path: string[], message: string) =>
    context.addIssue({ code: 'custom', path: ['tools', ...path], message });
  for (const [pattern, { costs, approval, idempotent, probe }] of Object.entries(tools)) {
    // A read-only tool can cost, too.
    if (costs && [approval, idempotent, probe].every((one) => one === undefined)) continue;
    if (access === 'read') {
      add(
        [pattern],
        'has no effect with access: read, where no tool that changes something is offered; set access: write',
      );
      continue;
    }
    if (approval === undefined)
      add(
        [pattern],
        'does not set approval; write approval: required, or approval: none if its calls need no approval',
      );
    if (idempotent !== undefined && probe !== undefined)
      add(
        [pattern, 'probe'],
        'has no effect: with idempotent: key a call is repeated without asking; remove one of the two',
      );
    if (probe === undefined) continue;
    if (!trustHints && !matchesAny(probe.tool, readOnly))
      add([pattern, 'probe', 'tool'], `"${probe.tool}" must be read-only; list it under readOnly`);
    if (probe.happened.includes(probe.didNotHappen) || probe.didNotHappen.includes(probe.happened))
      add(
        [pattern, 'probe', 'didNotHappen'],
        'must not contain the text of happened, nor be part of it: the two answers could not be distinguished',
      );
  }
}

/** A scope limits something, and each of its lists has an effect. */
function checkScope(
  {
    keys,
    unscoped,
    tools,
  }: Partial<Record<'keys' | 'unscoped', string[] | undefined>> & {
    tools?: Record<string, { labels: object }> | undefined;
  },
  context: z.RefinementCtx,
): void {
  const add = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  for (const [pattern, { labels }] of Object.entries(tools ?? {}))
    if (Object.keys(labels).length === 0) add('tools', `${pattern} names no label; name one, or remove it`);
  if (keys !== undefined) return;
  if (tools === undefined) add('keys', 'is missing; name the labels that limit calls, or tools by label');
  if (unscoped !== undefined) add('unscoped', 'has no effect without keys; remove it');
}

/** An entry whose instances have the address or the command has those of the first one itself. */
function withFirstInstance(value: unknown): unknown {
  const entry = asObject(value);
  const [first] = Object.values(asObject(asObject(entry.instances).list));
  const { url, command } = asObject(first);
  return first === undefined
    ? value
    : { ...(url !== undefined && { url }), ...(command !== undefined && { command }), ...entry };
}

/** The settings of a server with those of one of its instances, which are added to `env` and `headers`. */
function withSettings<S extends { env?: object | undefined; headers?: object | undefined }>(
  server: S,
  own: object & { env?: object | undefined; headers?: object | undefined },
): S {
  const { env, headers } = own;
  return {
    ...server,
    ...own,
    ...(env && { env: { ...server.env, ...env } }),
    ...(headers && { headers: { ...server.headers, ...headers } }),
  };
}

/** The models of models.yaml. `find` gives undefined for a name that they lack. */
export interface KnownModels {
  /** Names in models.yaml. */
  known: KnownNames;
  /** The settings of a model. */
  find: (name: string) => ModelSettings | undefined;
}

/** The settings of a process. */
const processFields = (text: ReturnType<typeof expandedText>) => ({
  command: text,
  args: z.array(text).optional(),
  env: z.record(z.string(), text).optional(),
  home: z.enum(['private', 'inherit']).optional(),
  cwd: text.optional(),
});

/** The settings of a remote server. */
const remoteFields = (text: ReturnType<typeof expandedText>) => ({
  url: text,
  headers: z.record(z.string(), text).optional(),
  auth: z.enum(['google', 'github-app', 'oauth']).optional(),
  quotaProject: text.optional(),
  githubApp: strictMapping({
    appId: z.union([text, z.int().nonnegative().transform(String)]),
    installationId: z.union([text, z.int().nonnegative().transform(String)]),
    privateKey: text,
    repositories: z.array(text),
    apiUrl: text.optional(),
  }).optional(),
  oauth: strictMapping({
    grant: z.enum(['client-credentials', 'login']),
    issuer: text.optional(),
    clientId: text.optional(),
    clientSecret: text.optional(),
    scopes: z.array(text).optional(),
  }).optional(),
  audience: text.optional(),
  scopes: z.array(text).optional(),
  impersonate: text.optional(),
});

const anyServer = z.discriminatedUnion('transport', [
  ...mcpServerConfigSchema.options,
  z.strictObject({ transport: z.literal('recorded') }),
]);

/** Whether servers can have `transport: recorded`, and have no connection. */
export type RecordedServers = 'refused' | 'accepted';

/**
 * servers.yaml. Variables are replaced from `env`, and relative working directories resolved against
 * `folder`. A server must not have a name of `ownSources`: the tools of both would have the same names.
 * `models` are those of models.yaml. `recorded`: as for `loadConfig`.
 */
export const serversFileSchema = (
  folder: string,
  env: NodeJS.ProcessEnv,
  ownSources: readonly string[],
  models: KnownModels,
  recorded: RecordedServers,
) => {
  const text = expandedText(env);
  const common = {
    access: z.enum(['read', 'write']).optional(),
    readOnly: z.array(z.string()).optional(),
    trustHints: z.boolean().optional(),
    reaches: z.enum(['outside', 'inside']).optional(),
    tools: z.record(toolPattern, toolEntry).optional(),
    yields: z.record(toolPattern, z.enum(YIELDS)).optional(),
    fields: z.enum([...FIELD_LISTS, SERVICE_MAP]).optional(),
    arguments: z.record(z.string().min(1), boundText).optional(),
    scope: strictMapping({
      from: z.literal('labels'),
      keys: z.array(z.string().min(1)).min(1).superRefine(eachOnce).optional(),
      unscoped: z.array(z.string()).optional(),
      tools: z.record(toolPattern, strictMapping({ labels: labelConditions })).optional(),
    })
      .superRefine(checkScope)
      .optional(),
    connectTimeout: duration(MAX_ITERATION).optional(),
    timeout: duration(MAX_ITERATION).optional(),
    resultLimit: shownSize(MAX_STORED_TEXT).optional(),
    summarize: referenceTo('model', models.known).optional(),
    instructions: z.enum(['show', 'ignore']).optional(),
    keepConnection: z.boolean().optional(),
    limits: serverQuotaField,
  };
  const process = processFields(text);
  const remote = remoteFields(text);
  /** Each instance can replace the settings of its connection. */
  const instancesOf = <S extends z.ZodRawShape>(settings: S) =>
    strictMapping({
      parameter: z.string().optional(),
      list: z.record(nameSchema, strictMapping(settings).partial()),
    }).optional();
  const stdio = strictMapping({
    transport: z.literal('stdio'),
    ...process,
    ...common,
    instances: instancesOf(process),
  });
  const http = strictMapping({
    transport: z.literal('http'),
    ...remote,
    ...common,
    instances: instancesOf(remote),
  });
  const withoutConnection = strictMapping({
    transport: z.literal('recorded').refine(() => recorded === 'accepted', NO_CONNECTION),
    ...common,
  });
  const toServer = ({
    connectTimeout,
    timeout,
    resultLimit,
    summarize,
    ...server
  }: Omit<z.output<typeof stdio>, 'instances'> | Omit<z.output<typeof http>, 'instances'>) => ({
    ...server,
    summarizeWith: summarize === undefined ? undefined : models.find(summarize),
    ...(server.transport === 'stdio' && { cwd: path.resolve(folder, server.cwd ?? '.') }),
    connectTimeoutMs: connectTimeout,
    timeoutMs: timeout,
    resultBytes: resultLimit,
  });
  const entry = z
    .preprocess(withFirstInstance, z.discriminatedUnion('transport', [stdio, http, withoutConnection]))
    .superRefine(checkAccess)
    .transform((entry): z.input<typeof anyServer> => {
      if (entry.transport === 'recorded') return { transport: 'recorded' };
      const { instances, ...server } = entry;
      return {
        ...toServer(server),
        ...(instances && {
          instances: {
            ...instances,
            list: Object.fromEntries(
              Object.entries(instances.list).map(([name, own]) => [
                name,
                toServer(withSettings(server, own)),
              ]),
            ),
          },
        }),
      };
    })
    .pipe(anyServer);
  // The value of `servers:` with only comments below it is null.
  const name = nameSchema.refine(
    (text) => !ownSources.includes(text),
    'is the name of a built-in tool source',
  );
  return strictMapping({ servers: z.record(name, entry).nullable().optional() });
};

/** system.yaml. `models` are the names that models.yaml defines. */
export const systemFileSchema = (models: KnownNames) =>
  strictMapping({
    sessionDeadline: sessionTime,
    retention: duration('3650d').optional(),
    alertPromptLimit: size(MAX_ALERT_PROMPT).optional(),
    runbookHosts: runbookHosts.optional(),
    runbookLimit: shownSize(MAX_RUNBOOK).optional(),
    summaryModel: referenceTo('model', models && [...models, 'off']).optional(),
    smallModel: referenceTo('model', models).optional(),
    judgeModel: referenceTo('model', models).optional(),
    embeddingModel: z.string().trim().min(1).max(200).optional(),
    ...budgetFields,
    budgets: budgetRulesField,
    serviceTier: tierField,
    ownServices: z.array(z.string().trim().min(1).max(200)).max(100).optional(),
    features: switchesField,
    ...limitFields,
  });
