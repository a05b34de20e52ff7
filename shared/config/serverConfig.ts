// Validates the configuration of an MCP server into the contract's McpServerConfig.

import { createPrivateKey } from 'node:crypto';
import * as z from 'zod';
import type { McpServerConfig } from '../contract/mcpServer.ts';
import { modelSchema } from '../core/schema/agent.ts';
import { YIELDS } from '../core/schema/block.ts';
import { nameSchema } from '../core/schema/common.ts';
import { strictMapping } from './fields.ts';
import { checkServerAuth } from './serverAuth.ts';

/** Ten seconds: a server started by `npx` from a warm cache answers within two to three. */
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** Timers of Node are 32-bit; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

const duration = z.int().positive().max(MAX_TIMER_MS);

/** A name of a tool, `*`, or a prefix and `*`. */
export const toolPattern = z
  .string()
  .regex(/^(\*|[^*]+\*?)$/, 'must be a tool name, "*" or a prefix like "get_*"');

/** The value that a parameter is bound to. */
export const boundText = z
  .string()
  .regex(
    /^(?:\$\{labels\.[^{}]+\}|(?:(?!\$\{)[\s\S])*)$/,
    `must be "$${'{'}labels.NAME}" without other text, or a fixed text without "$${'{'}"`,
  );

const toolSettingsSchema = strictMapping({
  costs: z.literal(true).optional(),
  approval: z.enum(['required', 'none']).optional(),
  idempotent: z.literal('key').optional(),
  probe: strictMapping({
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.string()).default({}),
    happened: z.string().min(1),
    didNotHappen: z.string().min(1),
  }).optional(),
});

/** An alert seldom needs more, and every iteration connects all of them. */
const MAX_INSTANCES = 20;

/** A login belongs to the name of an entry of servers.yaml. */
function checkInstances({ list }: { list: Record<string, McpServerConfig> }, context: z.RefinementCtx): void {
  for (const [name, server] of Object.entries(list))
    if (server.transport === 'http' && server.oauth?.grant === 'login')
      context.addIssue({
        code: 'custom',
        path: ['list', name],
        message: 'cannot use oauth.grant: login; give it an entry of its own in servers.yaml',
      });
}

const common = {
  access: z.enum(['read', 'write']).default('read'),
  readOnly: z.array(toolPattern).default([]),
  trustHints: z.boolean().default(false),
  reaches: z.enum(['outside', 'inside']).optional(),
  tools: z.record(toolPattern, toolSettingsSchema).default({}),
  yields: z.record(toolPattern, z.enum(YIELDS)).optional(),
  fields: z.string().min(1).optional(),
  arguments: z.record(z.string().min(1), boundText).default({}),
  scope: strictMapping({
    from: z.literal('labels'),
    keys: z
      .array(z.string().regex(/^[\w.-]{1,100}$/, 'must be the name of a parameter and of a label'))
      .default([]),
    unscoped: z.array(toolPattern).default([]),
    tools: z
      .record(toolPattern, z.strictObject({ labels: z.record(z.string(), z.array(z.string())) }))
      .default({}),
  }).optional(),
  instances: strictMapping({
    parameter: z
      .string()
      .regex(/^[A-Za-z_][\w-]{0,63}$/, 'must be the name of a parameter')
      .default('instance'),
    list: z
      .record(
        nameSchema,
        z.lazy((): z.ZodType<McpServerConfig> => mcpServerConfigSchema),
      )
      .refine((list) => Object.keys(list).length > 0, 'must name at least one instance')
      .refine(
        (list) => Object.keys(list).length <= MAX_INSTANCES,
        `can name at most ${MAX_INSTANCES} instances`,
      ),
  })
    .superRefine(checkInstances)
    .optional(),
  connectTimeoutMs: duration.default(DEFAULT_CONNECT_TIMEOUT_MS),
  instructions: z.enum(['show', 'ignore']).optional(),
  keepConnection: z.boolean().default(true),
  timeoutMs: duration.optional(),
  resultBytes: z.int().positive().optional(),
  summarizeWith: modelSchema.optional(),
  limits: strictMapping({
    concurrency: z.int().positive().optional(),
    perMinute: z.int().positive().optional(),
    bytesPerHour: z.int().positive().optional(),
  }).optional(),
};

const stdioServerSchema = strictMapping({
  transport: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be an environment name'), z.string())
    .default({}),
  home: z.enum(['private', 'inherit']).optional(),
  cwd: z.string().min(1).optional(),
  ...common,
}).refine(({ home, env }) => home === undefined || env.HOME === undefined, {
  path: ['home'],
  error: 'has no effect: env sets HOME; remove one of the two',
});

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const number = z.string().regex(/^\d{1,20}$/, 'must be a number');

const githubAppSchema = strictMapping({
  appId: z.string().regex(/^[A-Za-z0-9.]{1,40}$/, 'must be the id of the app, or its client id'),
  installationId: number,
  privateKey: z
    .string()
    // Variables of environments often hold a key in one line.
    .transform((text) => text.replaceAll('\\n', '\n'))
    .refine(isPrivateKey, 'must be the private key of the app as PEM, which GitHub shows once'),
  repositories: z
    .array(z.string().regex(/^[\w.-]{1,100}$/, 'must be the name of a repository, without its owner'))
    .min(1)
    .max(500),
  apiUrl: httpUrl.optional(),
});

const oauthSchema = strictMapping({
  grant: z.enum(['client-credentials', 'login']),
  issuer: httpUrl.optional(),
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope, without blanks'))
    .optional(),
});

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

const httpServerSchema = strictMapping({
  transport: z.literal('http'),
  url: httpUrl.refine(
    (url) => !/^https?:\/\/[^/?#]*@/i.test(url),
    'must hold no credentials; put them in headers',
  ),
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name'),
      z.string().regex(/^[^\r\n\0]*$/, 'must be one line'),
    )
    .default({}),
  auth: z.enum(['google', 'github-app', 'oauth']).optional(),
  quotaProject: z
    .string()
    .regex(/^(?:[a-z][a-z0-9.:-]{4,60}[a-z0-9])?$/, 'must be the id of a project of Google Cloud')
    // Empty is as absent, so that a variable with an empty default can set it.
    .transform((id) => id || undefined)
    .optional(),
  githubApp: githubAppSchema.optional(),
  oauth: oauthSchema.optional(),
  audience: z
    .string()
    .regex(
      /^[^\s&#]+$/,
      'must be the address or the client id that tokens are for, without blanks, "&" and "#"',
    )
    .optional(),
  scopes: z
    .array(z.string().regex(/^https:\/\/[^\s,]+$/, 'must be a scope: https://www.googleapis.com/auth/NAME'))
    .min(1)
    .optional(),
  impersonate: z
    .string()
    .regex(/^[^\s@/:?#]+@[^\s@/:?#]+\.gserviceaccount\.com$/, {
      error: 'must be a service account: NAME@PROJECT.iam.gserviceaccount.com',
    })
    .optional(),
  ...common,
}).superRefine(checkServerAuth);

/** A server as `servers.yaml` describes it, with durations in milliseconds. */
export const mcpServerConfigSchema = z.discriminatedUnion('transport', [
  stdioServerSchema,
  httpServerSchema,
]) satisfies z.ZodType<McpServerConfig>;
