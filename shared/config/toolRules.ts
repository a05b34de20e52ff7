// The rules of servers.yaml for an agent's tools, for display. Contains no connection settings of a server.

import * as z from 'zod';
import { BUILT_IN_TOOLS } from '../core/schema/agent.ts';
import type { JsonObject } from '../text/json.ts';
import { closestPattern, matchesAny } from '../text/pattern.ts';

/** What the tools of a server can do, as servers.yaml states it. */
export const toolRightsSchema = z.strictObject({
  /**
   * `read`: only read-only tools. `write`: also those of `approvals`. Null if servers.yaml does not set it.
   */
  access: z.enum(['read', 'write']).nullable(),
  readOnly: z.array(z.string()).describe('Names and patterns of tools that only read'),
  trustHints: z.boolean().describe('Whether tools that the server marks as read-only count as such'),
  approvals: z
    .array(z.strictObject({ tool: z.string(), approval: z.enum(['required', 'none']) }))
    .describe('Tools that change something, and whether a person approves each call'),
});

/** The rules for an entry of an agent's tools. */
export const toolRuleSchema = z.strictObject({
  name: z.string().describe('A server, a tool of a server, or a tool of Inquest'),
  /** Null for a tool of Inquest. */
  server: z.string().nullable(),
  ...toolRightsSchema.shape,
});
/** The rules for an entry of an agent's tools. */
export type ToolRule = z.infer<typeof toolRuleSchema>;

/** The process that runs tools validates servers. This schema requires only the fields that are read here. */
const serverSchema = z.object({
  access: z.enum(['read', 'write']).default('read'),
  readOnly: z.array(z.string()).default([]),
  trustHints: z.boolean().default(false),
  tools: z.record(z.string(), z.object({ approval: z.enum(['required', 'none']).optional() })).default({}),
});

/** The rules of an agent's tools, in their order. @param servers the entries of servers.yaml, by name. */
export function toolRules(tools: readonly string[], servers: JsonObject): ToolRule[] {
  return tools.map((name) => {
    const [server = '', ...rest] = name.split('.');
    const tool = rest.join('.');
    const rules = BUILT_IN_TOOLS.includes(name) ? undefined : serverSchema.safeParse(servers[server]).data;
    if (rules === undefined) {
      const isBuiltIn = BUILT_IN_TOOLS.includes(name);
      return {
        name,
        server: isBuiltIn ? null : server,
        access: null,
        readOnly: [],
        trustHints: false,
        approvals: [],
      };
    }
    const { access, readOnly, trustHints } = rules;
    const approvals = Object.entries(rules.tools).flatMap(([pattern, { approval }]) =>
      approval === undefined ? [] : [{ tool: pattern, approval }],
    );
    const closest = closestPattern(tool, Object.keys(rules.tools));
    return {
      name,
      server,
      access,
      readOnly: tool === '' ? readOnly : readOnly.filter((pattern) => matchesAny(tool, [pattern])),
      trustHints,
      approvals: tool === '' ? approvals : approvals.filter((one) => one.tool === closest),
    };
  });
}
