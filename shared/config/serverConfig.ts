// How an MCP server is reached and how far it is trusted: the shape the configuration loader validates against.

import * as z from 'zod';

/** Ten seconds: a server started by `npx` from a warm cache answers within two to three. */
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** Timers of Node are 32-bit; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

const duration = z.int().positive().max(MAX_TIMER_MS);

const common = {
  /** Tools that are read-only whatever the server says: names, `*`, or a prefix and `*` (`get_*`). */
  readOnly: z
    .array(z.string().regex(/^(\*|[^*]+\*?)$/, 'must be a tool name, "*" or a prefix like "get_*"'))
    .default([]),
  /** Milliseconds until the server must have started, answered and listed its tools. */
  connectTimeoutMs: duration.default(DEFAULT_CONNECT_TIMEOUT_MS),
  /** Milliseconds a call may take; replaces the agent's own limit for the tools of this server. */
  timeoutMs: duration.optional(),
};

/** A process on this machine, spoken to over its standard streams. */
const stdioServerSchema = z.strictObject({
  transport: z.literal('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** All the process gets besides PATH, HOME, USER, LOGNAME, SHELL and TERM. */
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be an environment name'), z.string())
    .default({}),
  /** Working directory; that of this process by default. */
  cwd: z.string().min(1).optional(),
  ...common,
});

/** A server elsewhere, spoken to over streamable HTTP. */
const httpServerSchema = z.strictObject({
  transport: z.literal('http'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must hold no credentials; put them in headers'),
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be a header name'),
      z.string().regex(/^[^\r\n\0]*$/, 'must be one line'),
    )
    .default({}),
  ...common,
});

export const mcpServerConfigSchema = z.discriminatedUnion('transport', [stdioServerSchema, httpServerSchema]);

/** A server as validated, references to the environment resolved. Durations in milliseconds. */
export type McpServerConfig = z.infer<typeof mcpServerConfigSchema>;

/** Whether configuration declares a tool of a server read-only. */
export function isConfiguredReadOnly(tool: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern,
  );
}
